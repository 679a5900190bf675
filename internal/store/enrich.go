package store

import (
	"context"

	"kaoju/internal/core"
)

// Enriching is a document with steps to be done; Steps is empty where nobody
// has planned them yet.
type Enriching struct {
	DocumentID string
	BaseID     string
	Steps      []core.Enriched
}

func scanEnriching(s scanner) (e Enriching, err error) {
	var steps string
	if err := s.Scan(&e.DocumentID, &e.BaseID, &steps); err != nil {
		return e, err
	}
	return e, decode(steps, &e.Steps)
}

// queueEnrichment has a document planned that was published.
func queueEnrichment(tx *tx, d core.Document) error {
	return tx.exec(`INSERT INTO enrichments (document_id, base_id, waiting, steps, updated_at) VALUES (?, ?, 1, '', ?)
		ON CONFLICT (document_id) DO UPDATE SET waiting = 1, steps = '', updated_at = excluded.updated_at`, d.ID, d.BaseID, millis(clock()))
}

// Unplanned gives up to limit documents whose steps are to be planned.
func (db *DB) Unplanned(ctx context.Context, limit int) ([]Enriching, error) {
	return all(ctx, db, scanEnriching, `SELECT document_id, base_id, steps FROM enrichments
		WHERE waiting = 1 AND steps = '' ORDER BY document_id LIMIT ?`, limit)
}

// NextEnrichment gives the next document that has steps to be done, and
// whether there is one.
func (db *DB) NextEnrichment(ctx context.Context) (e Enriching, ok bool, err error) {
	list, err := all(ctx, db, scanEnriching, `SELECT document_id, base_id, steps FROM enrichments
		WHERE waiting = 1 AND steps <> '' ORDER BY document_id LIMIT 1`)
	if err != nil || len(list) == 0 {
		return e, false, err
	}
	return list[0], true, nil
}

// EnrichmentOf gives where the steps of a document stand; none for one that
// was not planned. Authorise the document before.
func (db *DB) EnrichmentOf(ctx context.Context, documentID string) ([]core.Enriched, error) {
	list, err := all(ctx, db, scanEnriching, "SELECT document_id, base_id, steps FROM enrichments WHERE document_id = ?", documentID)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return list[0].Steps, nil
}

// Enrichment gives what a base wants of models.
func (db *DB) Enrichment(ctx context.Context, baseID string) (core.Enrichment, error) {
	e, err := one(ctx, db, func(s scanner) (e core.Enrichment, err error) {
		var text string
		if err := s.Scan(&text); err != nil {
			return e, err
		}
		return e, decode(text, &e)
	}, "SELECT enrichment FROM knowledge_bases WHERE id = ?", baseID)
	return e, found(err, core.Errorf(core.CodeNotFound, "there is no knowledge base %q", baseID))
}

// SetEnrichment says what a base wants of models, for documents that are
// published from now on.
func (db *DB) SetEnrichment(ctx context.Context, baseID string, e core.Enrichment) error {
	return db.write(ctx, "set the enrichment", func(tx *tx) error {
		return tx.exec("UPDATE knowledge_bases SET enrichment = ?, updated_at = ? WHERE id = ?", encode(e), millis(clock()), baseID)
	})
}

// SaveEnrichments stores where the steps of documents stand, all in one
// transaction.
func (db *DB) SaveEnrichments(ctx context.Context, list ...Enriching) error {
	return db.write(ctx, "store the steps of enrichment", func(tx *tx) error {
		for _, e := range list {
			if err := saveSteps(tx, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// AskEnrichment stores the steps of a document as SaveEnrichments does, also
// where none were planned.
func (db *DB) AskEnrichment(ctx context.Context, d core.Document, steps []core.Enriched) error {
	return db.write(ctx, "queue the enrichment", func(tx *tx) error {
		if err := queueEnrichment(tx, d); err != nil {
			return err
		}
		return saveSteps(tx, Enriching{DocumentID: d.ID, Steps: steps})
	})
}

func saveSteps(tx *tx, e Enriching) error {
	waiting := false
	for _, s := range e.Steps {
		waiting = waiting || s.State == core.EnrichPending || s.State == core.EnrichRunning
	}
	return tx.exec("UPDATE enrichments SET steps = ?, waiting = ?, updated_at = ? WHERE document_id = ?",
		encode(e.Steps), flag(waiting), millis(clock()), e.DocumentID)
}

// EnrichmentParts gives what a step has come to so far, by part.
func (db *DB) EnrichmentParts(ctx context.Context, documentID string, step core.EnrichStep) (map[string]string, error) {
	parts := map[string]string{}
	err := each(ctx, db, func(s scanner) error {
		var part, result string
		err := s.Scan(&part, &result)
		parts[part] = result
		return err
	}, "SELECT part, result FROM enrichment_parts WHERE document_id = ? AND step = ?", documentID, step)
	return parts, err
}

// SaveEnrichmentPart keeps what a model said about a part of a document. It is
// a core.CodeCanceled once the document is gone.
func (db *DB) SaveEnrichmentPart(ctx context.Context, documentID string, step core.EnrichStep, part, result string) error {
	return db.write(ctx, "store a part of the enrichment", func(tx *tx) error {
		n, err := tx.change(`INSERT INTO enrichment_parts (document_id, step, part, result)
			SELECT CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT)
			WHERE EXISTS (SELECT 1 FROM documents WHERE id = ? AND state <> 'deleted')
			ON CONFLICT (document_id, step, part) DO UPDATE SET result = excluded.result`, documentID, step, part, result, documentID)
		if err == nil && n == 0 {
			err = core.Errorf(core.CodeCanceled, "the document was deleted")
		}
		return err
	})
}

// EnrichmentResult is what a step adds to a document, and takes out for it.
type EnrichmentResult struct {
	Document core.Document
	Step     core.EnrichStep
	Steps    []core.Enriched // of the document, this one done
	Add      []core.Chunk
	Close    []string // ids of passages that leave
	Index    []Indexing
	Model    string
	Tags     []string // names to add; nil for none
}

// FinishEnrichment stores the end of a step with what it came to, in one
// transaction: a version of the base where passages change. 0 means that none
// did. A document that is not ready, or not in the last version, or whose
// passages were edited meanwhile, is a core.CodeConflict.
func (db *DB) FinishEnrichment(ctx context.Context, r EnrichmentResult) (version int64, err error) {
	d := r.Document
	err = db.write(ctx, "store the enrichment", func(tx *tx) error {
		if err := lockBase(tx, d.BaseID); err != nil {
			return err
		}
		if err := mergeTags(tx, d, r.Tags); err != nil {
			return err
		}
		if len(r.Add)+len(r.Close) > 0 {
			if version, err = enrich(tx, r); err != nil {
				return err
			}
		}
		if err := tx.exec("DELETE FROM enrichment_parts WHERE document_id = ? AND step = ?", d.ID, r.Step); err != nil {
			return err
		}
		return saveSteps(tx, Enriching{DocumentID: d.ID, Steps: r.Steps})
	})
	return version, err
}

func mergeTags(tx *tx, d core.Document, names []string) error {
	if len(names) == 0 {
		return nil
	}
	has, err := tx.texts("SELECT t.name FROM document_tags x JOIN tags t ON t.id = x.tag_id WHERE x.document_id = ?", d.ID)
	if err != nil {
		return err
	}
	return setTags(tx, d.BaseID, d.ID, append(has, names...))
}

func enrich(tx *tx, r EnrichmentResult) (int64, error) {
	d := r.Document
	if err := insertChunks(tx, r.Add); err != nil {
		return 0, err
	}
	if err := insertIndexing(tx, r.Model, r.Index); err != nil {
		return 0, err
	}
	p, err := beginVersion(tx, d.BaseID, "enrich "+d.Name)
	if err != nil {
		return 0, err
	}
	live, err := tx.texts("SELECT l.document_id FROM document_lives l JOIN documents d ON d.id = l.document_id WHERE l.document_id = ? AND l.until = 0 AND d.state = 'ready'", d.ID)
	if err == nil && len(live) == 0 {
		err = core.Errorf(core.CodeConflict, "the document is not in the current version")
	}
	if err != nil {
		return 0, err
	}
	if err := p.exchange(ChunkEdit{Document: d, Add: r.Add, Close: r.Close}); err != nil {
		return 0, err
	}
	return p.number, p.finish()
}
