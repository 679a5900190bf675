package store

import (
	"context"

	"kaoju/internal/core"
)

// Membership is a set of intervals beside the content: a chunk belongs to the
// versions in [since, until), until 0 being still open. The open intervals of
// a base are those of its last version. A new version N on top of the active
// one therefore touches only what differs: it sets until = N on what leaves
// and adds [N, 0) for what enters. After a rollback, the last version is not
// the active one, and the difference between the two is undone first.

// publication is a version while its transaction makes it.
type publication struct {
	tx     *tx
	baseID string
	number int64
}

// beginVersion allots the next number of a base and activates it. The caller
// has locked the base.
func beginVersion(tx *tx, baseID, note string) (publication, error) {
	p := publication{tx: tx, baseID: baseID}
	var active, last int64
	err := tx.row("SELECT active_version, last_version FROM knowledge_bases WHERE id = ?", baseID).Scan(&active, &last)
	if err != nil {
		return p, err
	}
	p.number = last + 1
	if active != last {
		if err := p.rebase(active); err != nil {
			return p, err
		}
	}
	now := millis(clock())
	err = tx.exec("UPDATE knowledge_bases SET active_version = ?, last_version = ?, updated_at = ? WHERE id = ?",
		p.number, p.number, now, baseID)
	if err != nil {
		return p, err
	}
	return p, tx.exec(`INSERT INTO versions (base_id, number, built_on, note, created_at, activated_at)
		VALUES (?, ?, ?, ?, ?, ?)`, baseID, p.number, active, note, now, now)
}

// finish counts the documents of the version. It is the last step.
func (p publication) finish() error {
	return p.tx.exec(`UPDATE versions SET documents =
		(SELECT COUNT(*) FROM document_lives l WHERE l.base_id = versions.base_id AND l.until = 0)
		WHERE base_id = ? AND number = ?`, p.baseID, p.number)
}

// rebase makes the new version start from what was in version active: what
// came later is closed, what was closed since is reopened.
func (p publication) rebase(active int64) error {
	for _, t := range []struct{ table, key string }{{"chunk_lives", "chunk_id"}, {"document_lives", "document_id"}} {
		err := p.tx.exec(`UPDATE `+t.table+` SET until = ? WHERE base_id = ? AND until = 0 AND since > ?
			AND NOT EXISTS (SELECT 1 FROM `+t.table+` h WHERE h.base_id = `+t.table+`.base_id
				AND h.`+t.key+` = `+t.table+`.`+t.key+` AND h.since <= ? AND h.until > ?)`,
			p.number, p.baseID, active, active, active)
		if err != nil {
			return err
		}
		err = p.tx.exec(p.reopen(t.table)+` AND h.since <= ? AND h.until > 0 AND h.until > ?`, p.number, p.baseID, active, active)
		if err != nil {
			return err
		}
	}
	return nil
}

// reopen is the start of a statement that opens rows of a lives table again
// unless they are open; its arguments are the number and the base.
func (p publication) reopen(table string) string {
	if table == "chunk_lives" {
		return `INSERT INTO chunk_lives (chunk_id, base_id, document_id, since, until)
			SELECT h.chunk_id, h.base_id, h.document_id, CAST(? AS BIGINT), 0 FROM chunk_lives h
			WHERE h.base_id = ? AND NOT EXISTS (
				SELECT 1 FROM chunk_lives o WHERE o.chunk_id = h.chunk_id AND o.until = 0)`
	}
	return `INSERT INTO document_lives (document_id, base_id, since, until)
		SELECT h.document_id, h.base_id, CAST(? AS BIGINT), 0 FROM document_lives h
		WHERE h.base_id = ? AND NOT EXISTS (
			SELECT 1 FROM document_lives o WHERE o.document_id = h.document_id AND o.until = 0)`
}

// close ends the membership of a document and its chunks. What this version
// itself has opened is taken back without a trace.
func (p publication) close(documentID string) error {
	for _, table := range []string{"chunk_lives", "document_lives"} {
		err := p.tx.exec("DELETE FROM "+table+" WHERE base_id = ? AND document_id = ? AND +since = ?",
			p.baseID, documentID, p.number)
		if err != nil {
			return err
		}
		err = p.tx.exec("UPDATE "+table+" SET until = ? WHERE base_id = ? AND document_id = ? AND until = 0",
			p.number, p.baseID, documentID)
		if err != nil {
			return err
		}
	}
	return nil
}

// openChunks begins the membership of chunks, picked by a condition on c, and
// of their documents. Parents have none: they are read through their children.
func (p publication) openChunks(condition string, value string) error {
	if err := p.tx.exec(openChunkLives(condition), p.number, value, p.baseID); err != nil {
		return err
	}
	return p.tx.exec(openDocumentLives(condition), p.number, value, p.baseID)
}

func openChunkLives(condition string) string {
	return `INSERT INTO chunk_lives (chunk_id, base_id, document_id, since, until)
		SELECT c.id, c.base_id, c.document_id, CAST(? AS BIGINT), 0 FROM chunks c
		WHERE ` + condition + ` AND c.base_id = ? AND c.type <> 'parent_text' AND NOT EXISTS (
			SELECT 1 FROM chunk_lives o WHERE o.chunk_id = c.id AND o.until = 0)`
}

func openDocumentLives(condition string) string {
	return `INSERT INTO document_lives (document_id, base_id, since, until)
		SELECT DISTINCT c.document_id, c.base_id, CAST(? AS BIGINT), 0 FROM chunks c
		WHERE ` + condition + ` AND c.base_id = ? AND NOT EXISTS (
			SELECT 1 FROM document_lives o WHERE o.document_id = c.document_id AND o.until = 0)`
}

// Publish makes a new version of a base on top of its active one and
// activates it: the documents in close leave with all their chunks, then the
// chunks in add enter. It gives the new number.
func (db *DB) Publish(ctx context.Context, baseID string, add, closed []string, note string) (int64, error) {
	var number int64
	err := db.write(ctx, "publish", func(tx *tx) error {
		if err := lockBase(tx, baseID); err != nil {
			return err
		}
		p, err := beginVersion(tx, baseID, note)
		if err != nil {
			return err
		}
		number = p.number
		for _, id := range closed {
			if err := p.close(id); err != nil {
				return err
			}
		}
		for _, id := range add {
			if err := p.openChunks("c.id = ?", id); err != nil {
				return err
			}
		}
		return p.finish()
	})
	return number, err
}

// Activate makes an existing version the one that is searched. Nothing is
// copied and later versions stay; the next publish builds on this one.
func (db *DB) Activate(ctx context.Context, scope core.Scope, baseID string, version int64) error {
	b, err := db.Base(ctx, scope, baseID)
	if err != nil {
		return err
	}
	return db.write(ctx, "activate the version", func(tx *tx) error {
		if err := lockBase(tx, b.ID); err != nil {
			return err
		}
		now := millis(clock())
		n, err := tx.change("UPDATE versions SET activated_at = ? WHERE base_id = ? AND number = ?", now, b.ID, version)
		if err != nil {
			return err
		}
		if n == 0 {
			return core.Errorf(core.CodeNotFound, "the knowledge base %q has no version %d", b.Name, version)
		}
		err = tx.exec(`INSERT INTO activations (id, base_id, version, previous, user_id, created_at)
			SELECT ?, id, CAST(? AS BIGINT), active_version, ?, CAST(? AS BIGINT) FROM knowledge_bases WHERE id = ?`,
			core.NewID(), version, scope.UserID, now, b.ID)
		if err != nil {
			return err
		}
		return tx.exec("UPDATE knowledge_bases SET active_version = ? WHERE id = ?", version, b.ID)
	})
}

// LastVersion is the highest version number of a base, which after a rollback
// is above its active one. A base that is gone is a core.CodeNotFound.
func (db *DB) LastVersion(ctx context.Context, baseID string) (int64, error) {
	n, err := one(ctx, db, func(s scanner) (n int64, err error) { return n, s.Scan(&n) },
		"SELECT last_version FROM knowledge_bases WHERE id = ?", baseID)
	return n, found(err, core.Errorf(core.CodeNotFound, "there is no knowledge base %q", baseID))
}

// ListVersions gives the versions of a base, the newest first.
func (db *DB) ListVersions(ctx context.Context, scope core.Scope, baseID string) ([]core.Version, error) {
	b, err := db.Base(ctx, scope, baseID)
	if err != nil {
		return nil, err
	}
	return all(ctx, db, func(s scanner) (core.Version, error) {
		var v core.Version
		var created, activated int64
		err := s.Scan(&v.BaseID, &v.Number, &v.BuiltOn, &v.Note, &created, &activated)
		v.CreatedAt, v.ActivatedAt = moment(created), moment(activated)
		return v, err
	}, `SELECT base_id, number, built_on, note, created_at, activated_at FROM versions
		WHERE base_id = ? ORDER BY number DESC LIMIT 1000`, b.ID)
}
