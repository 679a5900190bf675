//go:build !(goexperiment.simd && amd64)

package embedded

// fastestDot gives the quickest dotter that this machine can run.
func fastestDot() dotter { return dotPlain }
