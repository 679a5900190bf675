package api

import "kaoju/internal/api/native"

// Places of our own routes.
const (
	v1       = "/api/v1"
	session  = v1 + "/sessions/{id}"
	base     = v1 + "/knowledge-bases/{id}"
	document = base + "/documents/{document_id}"
	faq      = base + "/faq/entries"
)

// native is the list of our own routes, by what they are about.
func (rt *router) native(n *native.Handlers) {
	rt.system(n)
	rt.conversations(n)
	rt.bases(n)
	rt.documents(n)
	rt.passages(n)
	rt.faqs(n)
	if n.Wiki != nil {
		rt.wikis(n)
	}
	rt.retrieval(n)
	if n.Assistants != nil {
		rt.assistants(n)
	}
	if n.Feedback != nil {
		rt.feedback(n)
	}
	if n.Models != nil {
		rt.models(n)
	}
	if n.Examples != nil {
		route(rt, "POST "+v1+"/demo", "Load the example that comes with the program", n.LoadDemo)
	}
}

// system lists the routes about the server itself.
func (rt *router) system(n *native.Handlers) {
	route(rt, "GET /healthz", "Whether questions can be answered", n.Healthz)
	route(rt, "GET "+v1+"/system", "The server and what it holds", n.SystemInfo)
	route(rt, "GET "+v1+"/usage", "What the calls of models cost, by day and model", n.ReportUsage)
}

// conversations lists the routes about sessions, questions and answers.
func (rt *router) conversations(n *native.Handlers) {
	route(rt, "POST "+v1+"/sessions", "Open a session", n.CreateSession, created)
	route(rt, "GET "+v1+"/sessions", "List sessions, pinned ones first, then the last used", n.ListSessions)
	route(rt, "DELETE "+v1+"/sessions/batch", "Delete many sessions, or all", n.DeleteSessions)
	route(rt, "GET "+session, "One session", n.Session)
	route(rt, "PATCH "+session, "Rename or pin a session, or give it other bases", n.ChangeSession)
	route(rt, "DELETE "+session, "Delete a session and its messages", n.DeleteSession)
	route(rt, "GET "+session+"/messages", "The messages of a session", n.ListMessages)
	route(rt, "POST "+session+"/knowledge-qa", "Ask a question; the answer streams", n.Ask, streams, pictured)
	route(rt, "POST "+session+"/stop", "Stop an answer", n.Stop)
	route(rt, "GET "+continueStream+"{id}", "Stream an answer again, from any event", n.Continue, streams)
	route(rt, "GET "+v1+"/messages/search", "Find messages by their words", n.SearchMessages)
	route(rt, "GET "+v1+"/messages/{id}", "One message", n.Message)
	route(rt, "GET "+v1+"/messages/{id}/trace", "What the turn of a message did", n.Trace)
}

// bases lists the routes about knowledge bases, their words, folders and tags.
func (rt *router) bases(n *native.Handlers) {
	route(rt, "GET "+v1+"/knowledge-bases", "List knowledge bases", n.ListBases)
	route(rt, "POST "+v1+"/knowledge-bases", "Make a knowledge base", n.CreateBase, created)
	route(rt, "POST "+v1+"/knowledge-bases/import", "Make a knowledge base of a file that export gave", n.ImportBase, created)
	rt.describeImport(v1 + "/knowledge-bases/import")
	route(rt, "GET "+base+"/export", "A whole knowledge base as one file", n.ExportBase, sendsFile)
	route(rt, "GET "+base, "One knowledge base", n.Base)
	route(rt, "DELETE "+base, "Delete a knowledge base and its documents", n.DeleteBase)
	route(rt, "GET "+base+"/glossary", "The words that a base's owner made known, as JSON or CSV", n.Glossary, glossaryReply)
	route(rt, "PUT "+base+"/glossary", "Replace the glossary of a base, by JSON or CSV", n.SetGlossary, glossarySize, glossaryReply)
	rt.describeGlossary(base + "/glossary")
	route(rt, "PATCH "+base, "Rename a knowledge base, describe it, or say how it cuts documents", n.ChangeBase)
	route(rt, "GET "+base+"/tags", "The tags of a base that are in use", n.ListTags)
	route(rt, "GET "+base+"/folders", "The folders of a base", n.ListFolders)
	route(rt, "POST "+base+"/folders", "Make a folder", n.CreateFolder, created)
	route(rt, "PATCH "+base+"/folders/{folder_id}", "Rename or move a folder", n.ChangeFolder)
	route(rt, "DELETE "+base+"/folders/{folder_id}", "Delete an empty folder", n.DeleteFolder)
}

// documents lists the routes about adding, reading and arranging them.
func (rt *router) documents(n *native.Handlers) {
	route(rt, "POST "+base+"/documents", "Upload files", n.Upload)
	rt.describeUpload(base + "/documents")
	route(rt, "POST "+base+"/documents/text", "Add a document that is given as text", n.AddText, rt.large)
	route(rt, "GET "+base+"/documents", "List the documents of a base", n.ListDocuments)
	route(rt, "GET "+document, "One document of a base", n.DocumentInBase)
	route(rt, "DELETE "+document, "Delete a document of a base", n.DeleteDocumentInBase)
	route(rt, "GET "+v1+"/documents/search", "Find documents of all bases by their names", n.SearchDocuments)
	route(rt, "GET "+v1+"/documents/{id}", "One document", n.Document)
	route(rt, "DELETE "+v1+"/documents/{id}", "Delete a document", n.DeleteDocument)
	route(rt, "GET "+v1+"/documents/{id}/original", "A document as it was added", n.Original, sendsFile)
	route(rt, "POST "+base+"/documents/url", "Fetch a page and add it as a document", n.AddURL)
	route(rt, "POST "+base+"/documents/batch", "Delete, enable, disable, move, tag or read again many documents", n.BatchDocuments)
	route(rt, "PATCH "+v1+"/documents/{id}", "Rename, move or tag a document", n.ChangeDocument)
	route(rt, "POST "+v1+"/documents/{id}/copy", "Copy a document to another base", n.CopyDocument, created)
	route(rt, "POST "+v1+"/documents/{id}/reparse", "Read a document's original again", n.ReparseDocument)
	route(rt, "POST "+v1+"/documents/{id}/rechunk", "Cut a document anew by the settings of its base", n.RechunkDocument)
	route(rt, "POST "+v1+"/knowledge-bases/{id}/rechunk", "Cut all documents of a base anew", n.RechunkBase)
	route(rt, "POST "+v1+"/documents/{id}/retry", "Queue a document that failed again", n.RetryDocument)
	route(rt, "POST "+v1+"/documents/{id}/enrich", "Have models add to a document, again or for the first time", n.Enrich)
	route(rt, "GET "+base+"/enrichment", "What models add to the documents of a base", n.Enrichment)
	route(rt, "PUT "+base+"/enrichment", "Say what models add to documents that are published from now on", n.SetEnrichment)
	route(rt, "POST "+v1+"/documents/{id}/stop", "Stop the work on a document", n.StopDocument)
}

// passages lists the routes about passages, and how they are cut.
func (rt *router) passages(n *native.Handlers) {
	route(rt, "GET "+v1+"/documents/{id}/chunks", "The passages of a document, in order", n.ListChunks)
	route(rt, "GET "+v1+"/chunks/{id}", "One passage, whole", n.Chunk)
	route(rt, "POST "+base+"/preview", "How a file would be cut into passages; stores nothing", n.PreviewFile)
	rt.describeImport(base + "/preview")
	route(rt, "POST "+v1+"/documents/{id}/preview", "How a document would be cut by other settings", n.PreviewDocument)
	route(rt, "POST "+v1+"/documents/{id}/chunks", "Add a passage to a document", n.AddChunk, created)
	route(rt, "PUT "+v1+"/chunks/{id}", "Give a passage another text", n.EditChunk)
	route(rt, "DELETE "+v1+"/chunks/{id}", "Take a passage out of its document", n.RemoveChunk)
	route(rt, "GET "+v1+"/chunks/{id}/revisions", "What has stood in the place of a passage", n.Revisions)
	route(rt, "POST "+v1+"/chunks/{id}/revert", "Give a passage the text of this revision back", n.RevertChunk)
}

// faqs lists the routes about the entries of FAQ bases.
func (rt *router) faqs(n *native.Handlers) {
	route(rt, "GET "+faq, "List or search the entries of an FAQ base", n.ListFAQs)
	route(rt, "POST "+faq, "Add an FAQ entry", n.CreateFAQ, created)
	route(rt, "POST "+faq+"/delete", "Delete many FAQ entries", n.DeleteFAQs)
	route(rt, "GET "+faq+"/{entry_id}", "One FAQ entry", n.OneFAQ)
	route(rt, "PUT "+faq+"/{entry_id}", "Change an FAQ entry; fields left out stay", n.ChangeFAQ)
	route(rt, "DELETE "+faq+"/{entry_id}", "Delete an FAQ entry", n.DeleteFAQ)
	route(rt, "POST "+base+"/faq/import", "Import FAQ entries from CSV, XLSX or JSON", n.ImportFAQ)
	rt.describeImport(base + "/faq/import")
	route(rt, "GET "+base+"/faq/export", "All FAQ entries of a base, as a file that import takes", n.ExportFAQ, sendsFile)
	route(rt, "GET "+v1+"/faq/template", "A file of FAQ entries to fill in", n.TemplateFAQ, sendsFile)
	route(rt, "POST "+base+"/faq/search", "The entries that a question leads to, with scores", n.FindFAQs)
}

// retrieval lists the routes about finding passages, and how far ingestion is.
func (rt *router) retrieval(n *native.Handlers) {
	route(rt, "POST "+v1+"/knowledge-search", "Find passages without answering", n.Search)
	route(rt, "POST "+v1+"/retrieval/debug", "Show how the passages for a question are found", n.Debug)
	route(rt, "GET "+v1+"/ingest/progress", "Documents by state", n.IngestProgress)
	route(rt, "GET "+v1+"/ingest/progress/stream", "Documents by state, whenever they change", n.FollowProgress, streams)
}

// assistants lists the routes about who answers, and by which rules.
func (rt *router) assistants(n *native.Handlers) {
	const assistant = "/assistants/{id}"
	route(rt, "GET "+v1+"/assistants", "List assistants, the default one first", n.ListAssistants)
	route(rt, "POST "+v1+"/assistants", "Make an assistant", n.CreateAssistant, created)
	route(rt, "POST "+v1+"/assistants/reload", "Read the files of assistants again", n.ReloadAssistants)
	route(rt, "GET "+v1+assistant, "One assistant", n.Assistant)
	route(rt, "PATCH "+v1+assistant, "Change an assistant", n.ChangeAssistant)
	route(rt, "DELETE "+v1+assistant, "Delete an assistant", n.DeleteAssistant)
	route(rt, "GET "+v1+"/rules", "The rules by which questions are routed", n.RuleState)
	route(rt, "POST "+v1+"/rules/reload", "Read the file of rules again", n.ReloadRules)
}

// feedback lists the routes about what users think of answers.
func (rt *router) feedback(n *native.Handlers) {
	const message, question = "/messages/{id}/feedback", "/open-questions/{id}"
	route(rt, "PUT "+v1+message, "Rate an answer", n.Rate)
	route(rt, "GET "+v1+message, "How the caller rated an answer", n.Rated)
	route(rt, "GET "+v1+"/open-questions", "Questions without an answer, or with one that did not help", n.OpenQuestions)
	route(rt, "POST "+v1+question+"/faq", "Make an FAQ entry of an open question", n.TurnIntoFAQ, created)
	route(rt, "DELETE "+v1+question, "Take an open question off the list", n.CloseQuestion)
}
