// Package office reads Word documents (DOCX) and Excel workbooks (XLSX).
//
// DOCX and XLSX are parse.Readers; the composition root registers them under
// parse.FormatDOCX and parse.FormatXLSX. DOCX is read by a streaming reader
// of our own, XLSX on top of excelize. Both treat the file as hostile: what
// inflates past its limits is refused with core.CodeTooLarge, damaged files
// with core.CodeCorrupt, protected ones with core.CodeEncrypted, and nothing
// outside the file is ever opened.
package office
