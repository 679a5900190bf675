// Package cache keeps what searches came to, within bounds of memory and time.
//
// Three layers, of which only the second holds results:
//
//   - L1, Epochs: the generation of what searches may find, for 3 s in this
//     process, and forgotten at once by a change that this process makes;
//   - L2: the vectors of questions (Embedder, an hour) and the candidates of
//     searches (Engine: half an hour for standard questions, a quarter for
//     documents);
//   - L3: the epoch itself, in SQL, moved on by every change (package store).
//
// An entry is found only by a key that says all it depends on: who asks whom
// (Boundary), the epoch, the versions, the generation of the index, filters,
// terms, vector and limit. Candidates are ids and scores; passages are read
// anew each time. Answers are not kept. What a turn found, missed or left
// aside, and why, stands in the Log of its context:
//
//	ctx, log := cache.With(ctx, cache.BoundaryOf(scope, assistant))
//	…                     // searches and embeds
//	log.Sum()             // for the trace and the closing event
package cache
