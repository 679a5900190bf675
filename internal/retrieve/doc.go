// Package retrieve turns a question into ranked passages: hybrid search over
// an index, fusion of its lists, expansion, diversity, and the merging of
// what was found into passages fit for a prompt.
//
// Nearly everything is a pure function over []Found; Searcher is the one that
// reads the index and the store. Every score that leaves this package lies in
// [0,1], is the number that thresholds compare and that users see, and carries
// the steps by which it came about.
//
//	s := retrieve.Searcher{Engine: engine, Embedder: embedder, Chunks: store}
//	found, explain, err := s.Search(ctx, retrieve.Request{Targets: targets, Question: q})
//	found = sketches.DropContained(sketches.Dedup(found))
//
// Functions that take a list do not change it; they return a new one.
package retrieve
