package app

import (
	"context"

	"kaoju/internal/api/native"
	"kaoju/internal/core"
	"kaoju/internal/ingest"
	"kaoju/internal/knowledge"
	"kaoju/internal/store"
)

// editor gives the native API what editors do, in its own words.
type editor struct {
	knowledge *knowledge.Service
}

func (e editor) AddDocument(ctx context.Context, scope core.Scope, r native.AddRequest) (core.Document, bool, error) {
	return e.knowledge.Add(ctx, scope, knowledge.AddRequest{
		Base: r.Base, FolderID: r.FolderID, Name: r.Name, Source: r.Source, Content: r.Data, Bulk: r.Bulk,
	})
}

// reading gives the native API what documents hold.
type reading struct {
	*knowledge.Service
	db *store.DB
}

func (r reading) DocumentChunks(ctx context.Context, scope core.Scope, id string, offset, limit int) ([]core.Chunk, error) {
	return r.db.DocumentChunks(ctx, scope, id, offset, limit)
}

func (e editor) DeleteDocument(ctx context.Context, scope core.Scope, id string) error {
	return e.knowledge.Delete(ctx, scope, id)
}

func (e editor) CreateBase(ctx context.Context, scope core.Scope, b core.KnowledgeBase) (core.KnowledgeBase, error) {
	return e.knowledge.CreateBase(ctx, scope, knowledge.NewBase{
		Name: b.Name, Description: b.Description, Kind: b.Kind, DatasetID: b.DatasetID, Visibility: b.Visibility, Roles: b.Roles,
	})
}

func (e editor) DeleteBase(ctx context.Context, scope core.Scope, id string) error {
	return e.knowledge.DeleteBase(ctx, scope, id)
}

// progress tells the native API how far ingestion is.
type progress struct {
	worker *ingest.Worker
	db     *store.DB
}

func (p progress) Progress(ctx context.Context, scope core.Scope, baseID string) (native.Counts, error) {
	if err := p.worker.Stalled(); err != nil {
		return native.Counts{}, err
	}
	ids := []string{baseID}
	if baseID == "" {
		bases, err := p.db.ListBases(ctx, scope)
		if err != nil {
			return native.Counts{}, err
		}
		ids = nil
		for _, b := range bases {
			ids = append(ids, b.ID)
		}
	}
	var sum native.Counts
	for _, id := range ids {
		c, err := p.db.CountDocuments(ctx, id)
		if err != nil {
			return native.Counts{}, err
		}
		sum.Queued += c.Queued
		sum.Processing += c.Processing
		sum.Ready += c.Ready
		sum.Failed += c.Failed
	}
	return sum, nil
}

func (p progress) Changed() <-chan struct{} { return p.worker.Changed() }
