// Package app is the composition root: the only place that knows every
// concrete type. It opens the data folder, puts the parts together by hand,
// recovers what a crash left behind, and closes everything in the reverse
// order.
//
//	a, err := app.Open(ctx, cfg)
//	defer a.Close()
//	http.Serve(listener, a.Handler())
package app

// Version is set by the build (-ldflags -X).
var Version = "dev"
