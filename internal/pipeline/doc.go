// Package pipeline is the framework in which a turn runs: stages, plugins,
// builder, runner.
//
// A turn has three parts: the Request, which never changes; the artifacts,
// each set once by the stage that owns it; and the runtime (bus, notes,
// clock). A Plugin handles one or more stages and receives what comes after
// it as next; plugins on one stage form a chain in the order of registration,
// the first outermost. A Builder assembles the stages of a turn from its
// request; the Runner triggers them one by one, times each, and looks at
// cancellation before everything else.
//
//	reg := pipeline.NewRegistry(search, rerank, merge)
//	run := pipeline.Runner{Registry: reg, Fallback: fallback}
//	outcome, err := run.Run(ctx, steps, turn)
//
// The plugins themselves stand in package stage.
package pipeline
