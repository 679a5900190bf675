package api

import "kaoju/internal/api/native"

// wikis lists the routes about the pages of wiki bases.
func (rt *router) wikis(n *native.Handlers) {
	const pages, page = base + "/wiki/pages", base + "/wiki/pages/{page}"
	route(rt, "GET "+pages, "List or search the pages of a wiki", n.ListWiki)
	route(rt, "POST "+pages, "Write a page", n.CreateWiki, created, rt.large)
	route(rt, "GET "+page, "One page of a wiki, by id or slug", n.OneWiki)
	route(rt, "PATCH "+page, "Change or rename a page; fields left out stay", n.ChangeWiki, rt.large)
	route(rt, "DELETE "+page, "Delete a page and its history", n.DeleteWiki)
	route(rt, "GET "+page+"/links", "The links of a page, and those to it", n.WikiLinks)
	route(rt, "GET "+page+"/revisions", "What a page has said, the newest first", n.ListWikiRevisions)
	route(rt, "GET "+page+"/revisions/{number}", "One revision of a page, whole", n.OneWikiRevision)
	route(rt, "DELETE "+page+"/revisions/{number}", "Dismiss a proposed revision", n.DismissWiki)
	route(rt, "POST "+page+"/revisions/{number}/revert", "Go back to a revision, or take a proposed one", n.RevertWiki)
	const jobs, job = base + "/wiki/jobs", base + "/wiki/jobs/{job}"
	route(rt, "POST "+jobs, "Have a model write pages from documents", n.BeginWikiJob, created)
	route(rt, "GET "+jobs, "The last jobs that wrote pages of a wiki", n.ListWikiJobs)
	route(rt, "GET "+job, "How far a job is, and what failed of it", n.OneWikiJob)
	route(rt, "GET "+job+"/stream", "How far a job is, whenever that changes", n.FollowWikiJob, streams)
	route(rt, "POST "+job+"/stop", "Stop a job; what it wrote stays", n.StopWikiJob)
	route(rt, "POST "+job+"/resume", "Go on with a job that ended, and with what failed of it", n.ResumeWikiJob)
	route(rt, "GET "+base+"/wiki/broken-links", "Links of a wiki that lead nowhere", n.BrokenWikiLinks)
	route(rt, "PUT "+base+"/wiki/files", "Write a page as a Markdown file with front matter", n.PutWikiFile, rt.large)
	route(rt, "GET "+base+"/wiki/export", "All pages of a wiki as Markdown files in a ZIP", n.ExportWiki, sendsFile)
}
