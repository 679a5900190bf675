// Package pdf reads the text of PDF files with pdfium, compiled to
// WebAssembly and run in-process without access to files or network.
//
// New makes a Reader; it implements parse.Reader and is registered under
// parse.FormatPDF, best behind sandbox.Reader: pdfium takes some 300 MB while
// it works. Compiling it takes seconds once; the cache directory given to New
// keeps the result for later processes.
//
// pdfium tells each character and its box. From those the package rebuilds
// what a reader sees: lines, rows of tables, columns, paragraphs, headings.
package pdf
