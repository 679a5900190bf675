package embedded

import "kaoju/internal/index"

// set is a set of small numbers; nil means "no condition".
type set []uint64

func (s set) has(n uint32) bool { return s[n>>6]&(1<<(n&63)) != 0 }

// filter is a target, put into the numbers of one part.
type filter struct {
	version                         int64
	documents, folders, tags, types set
	narrow                          bool
}

// resolve gives the filter of a target for a part; false where no passage of
// it can match.
func resolve(p part, t index.Target) (filter, bool) {
	f := filter{version: t.Version}
	ok := true
	f.documents, ok = numbers(&p.facts.documents, t.DocumentIDs, ok)
	f.folders, ok = numbers(&p.facts.folders, t.FolderIDs, ok)
	f.tags, ok = numbers(&p.facts.tags, t.TagIDs, ok)
	f.types, ok = numbers(&p.facts.types, t.Types, ok)
	f.narrow = f.documents != nil || f.folders != nil || f.tags != nil || f.types != nil
	return f, ok
}

func numbers[S ~string](d *dict, names []S, ok bool) (set, bool) {
	if !ok || len(names) == 0 {
		return nil, ok
	}
	s := make(set, (d.len()+63)/64)
	found := false
	for _, name := range names {
		if n, known := d.find([]byte(name)); known {
			s[n>>6] |= 1 << (n & 63)
			found = true
		}
	}
	return s, found
}

func (f *filter) matches(p *part, doc uint32) bool {
	if !p.lives.holds(doc, f.version) {
		return false
	}
	if !f.narrow {
		return true
	}
	facts := &p.facts
	return (f.documents == nil || f.documents.has(facts.document[doc])) &&
		(f.folders == nil || f.folders.has(facts.folder[doc])) &&
		(f.types == nil || f.types.has(uint32(facts.kind[doc]))) &&
		(f.tags == nil || f.anyTag(facts.tagsOf(doc)))
}

func (f *filter) anyTag(tags []uint32) bool {
	for _, t := range tags {
		if f.tags.has(t) {
			return true
		}
	}
	return false
}

// scan is a part that a query reads, with the filters of all targets that
// name its base: a passage is let through when one of them matches.
type scan struct {
	part
	baseID  string
	filters []filter
	narrow  bool // every filter narrows: look at them before scoring
}

func (s *scan) accepts(doc uint32) bool {
	for i := range s.filters {
		if s.filters[i].matches(&s.part, doc) {
			return true
		}
	}
	return false
}
