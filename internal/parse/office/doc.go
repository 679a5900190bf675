// Package office reads the formats that are zip archives of XML: Word
// documents (DOCX), PowerPoint presentations (PPTX), Excel workbooks (XLSX)
// and EPUB books; and, by a program that may be installed, Word documents of
// before 2007 (DOC).
//
// DOCX, PPTX, XLSX and EPUB are parse.Readers; the composition root registers
// each under its format, parse.FormatDOCX and so on. XLSX stands on excelize,
// the others are streaming readers of our own. All treat the file as hostile: what
// inflates past its limits is refused with core.CodeTooLarge, damaged files
// with core.CodeCorrupt, protected ones with core.CodeEncrypted, and nothing
// outside the file is ever opened.
package office
