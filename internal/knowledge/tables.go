package knowledge

import (
	"context"

	"kaoju/internal/parse"
)

// Tables reads files whose format is known. *parse.Parser is one.
type Tables interface {
	ReadAs(ctx context.Context, format string, in parse.Input) (parse.Document, error)
}
