package parse

import (
	"context"
	"strings"

	"kaoju/internal/core"
)

// collector gathers the blocks of one document within the limits. After the
// first error it takes nothing more, so that a reader may go on to its end
// and ask for the error once; long loops look at stopped.
type collector struct {
	ctx    context.Context //nolint:containedctx // lives as long as one Read call
	lim    Limits
	blocks []Block
	size   int // bytes of text
	count  int // blocks and rows
	err    error
}

func newCollector(ctx context.Context, lim Limits) *collector {
	return &collector{ctx: ctx, lim: lim}
}

// stopped reports whether there is no point in going on.
func (c *collector) stopped() bool {
	if c.err == nil {
		c.err = c.ctx.Err()
	}
	return c.err != nil
}

// add takes a block unless it is blank or too much.
func (c *collector) add(b Block) {
	if c.stopped() || isBlank(b.Text) {
		return
	}
	c.size += len(b.Text)
	c.count += 1 + len(b.Rows)
	switch {
	case c.size > c.lim.MaxText:
		c.err = core.Errorf(core.CodeTooLarge, "the file holds more than %s of text; split it into smaller files",
			sizeText(int64(c.lim.MaxText)))
	case c.count > c.lim.MaxBlocks:
		c.err = core.Errorf(core.CodeTooLarge, "the file holds more than %d blocks and rows; split it into smaller files",
			c.lim.MaxBlocks)
	default:
		c.blocks = append(c.blocks, b)
	}
}

func (c *collector) heading(level int, text string) {
	text = strings.Join(strings.Fields(text), " ")
	c.add(Block{Kind: Heading, Level: min(max(level, 1), 6), Text: text})
}

// firstTitle is the first heading of level 1 near the top, else the heading
// with which the document opens.
func firstTitle(blocks []Block) string {
	for _, b := range blocks[:min(len(blocks), 6)] {
		if b.Kind == Heading && b.Level == 1 {
			return b.Text
		}
	}
	if len(blocks) > 0 && blocks[0].Kind == Heading && blocks[0].Level <= 3 {
		return blocks[0].Text
	}
	return ""
}
