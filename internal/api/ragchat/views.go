package ragchat

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"kaoju/internal/core"
)

// Session is a session, as its creation answers.
type Session struct {
	ID        int64     `json:"id"`
	Title     string    `json:"title"`
	BaseIDs   []int64   `json:"knowledgeBaseIds"`
	CreatedAt time.Time `json:"createdAt"`
}

// ListItem is a session in the list.
type ListItem struct {
	ID        int64     `json:"id"`
	Title     string    `json:"title"`
	Messages  int       `json:"messageCount"`
	BaseNames []string  `json:"knowledgeBaseNames"`
	UpdatedAt time.Time `json:"updatedAt"`
	Pinned    bool      `json:"isPinned"`
}

// Detail is a session with its bases and messages.
type Detail struct {
	ID        int64     `json:"id"`
	Title     string    `json:"title"`
	Bases     []Base    `json:"knowledgeBases"`
	Messages  []Message `json:"messages"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Base is a knowledge base.
type Base struct {
	ID          int64     `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Documents   int       `json:"documentCount"`
	CreatedAt   time.Time `json:"createdAt"`
	UpdatedAt   time.Time `json:"updatedAt"`
}

// Message is one message.
type Message struct {
	ID        int64     `json:"id"`
	Type      core.Role `json:"type"`
	Content   string    `json:"content"`
	CreatedAt time.Time `json:"createdAt"`
}

// untitled is the title of a session that has none yet.
const untitled = "新对话"

// titleFor makes the title of a session over some bases.
func titleFor(bases []core.KnowledgeBase) string {
	switch len(bases) {
	case 0:
		return untitled
	case 1:
		return bases[0].Name
	default:
		return strconv.Itoa(len(bases)) + " 个知识库对话"
	}
}

func titleOf(s core.Session) string {
	if s.Title == "" {
		return untitled
	}
	return s.Title
}

// number gives the number of one object.
func (h *Handlers) number(ctx context.Context, kind Kind, id string) (int64, error) {
	numbers, err := h.Numbers.Numbers(ctx, kind, []string{id})
	if err != nil {
		return 0, err
	}
	return numbers[0], nil
}

func (h *Handlers) bases(ctx context.Context, bases []core.KnowledgeBase) ([]Base, error) {
	numbers, err := h.Numbers.Numbers(ctx, KnowledgeBases, idsOf(bases))
	views := make([]Base, 0, len(bases))
	for i, b := range bases {
		if err != nil {
			break
		}
		views = append(views, Base{
			ID: numbers[i], Name: b.Name, Description: b.Description, Documents: b.Documents, CreatedAt: b.CreatedAt, UpdatedAt: b.UpdatedAt,
		})
	}
	return views, err
}

func (h *Handlers) messages(ctx context.Context, messages []core.Message) ([]Message, error) {
	ids := make([]string, 0, len(messages))
	for _, m := range messages {
		ids = append(ids, m.ID)
	}
	numbers, err := h.Numbers.Numbers(ctx, Messages, ids)
	views := make([]Message, 0, len(messages))
	for i, m := range messages {
		if err != nil {
			break
		}
		views = append(views, Message{ID: numbers[i], Type: m.Role, Content: contentOf(m), CreatedAt: m.CreatedAt})
	}
	return views, err
}

// contentOf gives a message's text. The protocol has no other place to say
// why an answer has none.
func contentOf(m core.Message) string {
	switch {
	case m.Content != "" || m.State == core.MessageComplete || m.State == core.MessagePending:
		return m.Content
	case m.State == core.MessageStopped:
		return "【已停止】"
	case m.State == core.MessageInterrupted:
		return "【回答中断，请重试】"
	default:
		return "【错误】回答生成失败，请稍后重试"
	}
}

func idsOf(bases []core.KnowledgeBase) []string {
	ids := make([]string, 0, len(bases))
	for _, b := range bases {
		ids = append(ids, b.ID)
	}
	return ids
}

// BaseKey names a base: by its number or, for those who know it from
// elsewhere, by id or name.
type BaseKey struct {
	number int64
	name   string
}

// UnmarshalJSON reads a number or a text.
func (k *BaseKey) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &k.number) == nil && k.number > 0 {
		return nil
	}
	if json.Unmarshal(data, &k.name) == nil && k.name != "" {
		return nil
	}
	return core.Errorf(core.CodeInvalid, "knowledgeBaseIds holds what is not an id")
}

// find gives the bases behind the keys, each once: all of them, or
// core.CodeNotFound.
func (h *Handlers) find(ctx context.Context, scope core.Scope, keys []BaseKey) ([]core.KnowledgeBase, error) {
	if len(keys) == 0 {
		return nil, core.Errorf(core.CodeInvalid, "knowledgeBaseIds 不能为空")
	}
	var bases []core.KnowledgeBase
	seen := map[string]bool{}
	for _, k := range keys {
		if k.number > 0 {
			var err error
			if k.name, err = h.Numbers.NumberedID(ctx, KnowledgeBases, k.number); err != nil {
				return nil, named(err, errNoBase)
			}
		}
		b, err := h.Bases.Base(ctx, scope, k.name)
		if err != nil {
			return nil, named(err, errNoBase)
		}
		if !seen[b.ID] {
			seen[b.ID] = true
			bases = append(bases, b)
		}
	}
	return bases, nil
}

// visible gives those of a session's bases that are still there.
func (h *Handlers) visible(ctx context.Context, scope core.Scope, ids []string) ([]core.KnowledgeBase, error) {
	bases := []core.KnowledgeBase{}
	for _, id := range ids {
		b, err := h.Bases.Base(ctx, scope, id)
		if core.CodeOf(err) == core.CodeNotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		bases = append(bases, b)
	}
	return bases, nil
}

// escape writes the line breaks of a text so that it fits a line.
func escape(text string) string { return escaper.Replace(text) }

var escaper = strings.NewReplacer("\n", `\n`, "\r", `\r`)
