// Package legacy reads what Office wrote before 2007 and no maintained Go
// library reads well: Excel workbooks (.xls, BIFF8) and PowerPoint
// presentations (.ppt). Word documents of that time are read by package
// office through antiword.
//
// Both formats lie as streams of records in an OLE container, which the mscfb
// library opens. The record layouts are those of Microsoft's open
// specifications [MS-XLS] and [MS-PPT]. A reader takes what it knows and steps
// over the rest; a record that ends too early ends the file, with what was
// read until then.
//
// The readers implement parse.Reader and are registered by the composition
// root under parse.FormatXLS and parse.FormatPPT. They are safe for concurrent
// use.
package legacy
