// Package house holds the rule of the house as a test: a package imports only
// what stands above it in the order of docs/architecture.md.
package house
