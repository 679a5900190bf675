package app

import (
	"io"
	"log/slog"

	"kaoju/internal/config"
)

// NewLogger makes the product's logger. Log lines hold no prompts, no keys and
// no document text.
func NewLogger(cfg config.Log, out io.Writer) *slog.Logger {
	level := slog.LevelInfo
	switch cfg.Level {
	case "debug":
		level = slog.LevelDebug
	case "warn":
		level = slog.LevelWarn
	case "error":
		level = slog.LevelError
	}
	opts := &slog.HandlerOptions{Level: level}
	if cfg.Format == "json" {
		return slog.New(slog.NewJSONHandler(out, opts))
	}
	return slog.New(slog.NewTextHandler(out, opts))
}
