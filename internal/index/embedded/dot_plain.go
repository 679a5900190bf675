//go:build !(goexperiment.simd && amd64)

package embedded

// fastestDot gives the quickest dotter that this machine can run.
func fastestDot() dotter { return dotPlain }

// fastestDot4 gives the quickest dotter4 that this machine can run.
func fastestDot4() dotter4 { return four(dotPlain) }
