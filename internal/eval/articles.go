package eval

// Articles gives the set with the passages of one title, which follow each
// other, as one document: as an organisation stores them, and as most sets cut
// them apart. What was found, and which passages may be used, is then told by
// document. Passages without a title, and FAQ entries, stay as they are.
func Articles(set Set) Set {
	of := map[string]string{} // passage to document
	var docs []Doc
	for _, d := range set.Docs {
		last := len(docs) - 1
		if d.FAQ == nil && d.Title != "" && last >= 0 && docs[last].FAQ == nil && docs[last].Title == d.Title {
			docs[last].Text += "\n\n" + d.Text
			of[d.ID] = docs[last].ID
			continue
		}
		docs = append(docs, d)
		of[d.ID] = d.ID
	}
	set.Docs = docs
	queries, probes := make([]Query, len(set.Queries)), make([]Probe, len(set.Probes))
	for i, q := range set.Queries {
		q.Relevant = renamed(q.Relevant, of)
		queries[i] = q
	}
	for i, p := range set.Probes {
		p.Contexts = renamed(p.Contexts, of)
		probes[i] = p
	}
	set.Queries, set.Probes = queries, probes
	return set
}

// renamed gives other names, each once; nil stays nil.
func renamed(ids []string, of map[string]string) []string {
	var out []string
	seen := map[string]bool{}
	for _, id := range ids {
		if to := of[id]; !seen[to] {
			seen[to] = true
			out = append(out, to)
		}
	}
	return out
}
