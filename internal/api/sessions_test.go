package api_test

import (
	"testing"

	"kaoju/internal/api/native"
	"kaoju/internal/core"
)

func TestPinDeleteAndSearch(t *testing.T) {
	w := open(t)
	first, second := w.session(t), w.session(t)
	w.ask(t, first, "年假几天？")
	w.ask(t, second, "q")
	pinned := get[core.Session](t, w, "PATCH", "/api/v1/sessions/"+first, `{"pinned":true,"knowledge_base_ids":["default"]}`)
	if !pinned.Pinned || pinned.Title != "年假几天？" || len(pinned.BaseIDs) != 1 {
		t.Fatalf("changed %+v", pinned)
	}
	w.ask(t, second, "later")
	if list := get[native.List[core.Session]](t, w, "GET", "/api/v1/sessions", ""); list.Items[0].ID != first || list.Items[1].ID != second {
		t.Errorf("the list begins with %+v", list.Items[0])
	}
	found := get[native.FoundMessages](t, w, "GET", "/api/v1/messages/search?query=年假%20几天", "")
	if len(found.Items) != 1 || found.Items[0].SessionID != first || found.Items[0].SessionTitle != "年假几天？" {
		t.Errorf("found %+v", found)
	}
	within := get[native.FoundMessages](t, w, "GET", "/api/v1/messages/search?query=年假&session_id="+second+"&limit=1", "")
	if len(within.Items) != 1 || within.Items[0].SessionID != second {
		t.Errorf("found %+v", within)
	}
	for _, s := range []scenario{
		{"nothing to change", "PATCH", "/api/v1/sessions/" + first, `{}`, 400, core.CodeInvalid, "nothing"},
		{"one base of two", "PATCH", "/api/v1/sessions/" + first, `{"title":"x","knowledge_base_ids":["default","nowhere"]}`, 404, core.CodeNotFound, "nowhere"},
		{"empty search", "GET", "/api/v1/messages/search?query=%20", "", 400, core.CodeInvalid, "empty"},
		{"delete what", "DELETE", "/api/v1/sessions/batch", `{}`, 400, core.CodeInvalid, "which"},
		{"delete both", "DELETE", "/api/v1/sessions/batch", `{"ids":["a"],"all":true}`, 400, core.CodeInvalid, "which"},
		{"one of two", "DELETE", "/api/v1/sessions/batch", `{"ids":["` + first + `","nobody"]}`, 404, core.CodeNotFound, "nobody"},
	} {
		s.check(t, w)
	}
	if s := get[core.Session](t, w, "GET", "/api/v1/sessions/"+first, ""); s.Title != "年假几天？" {
		t.Errorf("a change that was refused changed %+v", s)
	}
	if got := get[native.Deleted](t, w, "DELETE", "/api/v1/sessions/batch", `{"ids":["`+first+`"]}`); got.Deleted != 1 {
		t.Errorf("deleted %+v", got)
	}
	if got := get[native.Deleted](t, w, "DELETE", "/api/v1/sessions/batch", `{"all":true}`); got.Deleted != 1 {
		t.Errorf("deleted %+v", got)
	}
}

func TestLastRequest(t *testing.T) {
	w := open(t)
	id := w.session(t)
	w.ask(t, id, "q")
	if s := get[core.Session](t, w, "GET", "/api/v1/sessions/"+id, ""); s.LastRequest != nil {
		t.Errorf("a question without a choice left %+v", s.LastRequest)
	}
	w.send(t, "POST", "/api/v1/sessions/"+id+"/knowledge-qa", `{"query":"q","knowledge_base_ids":["default"],"top_k":7}`)
	s := get[core.Session](t, w, "GET", "/api/v1/sessions/"+id, "")
	if s.LastRequest == nil || s.LastRequest.TopK != 7 || s.LastRequest.BaseIDs[0] != "default" || len(s.BaseIDs) != 0 {
		t.Fatalf("session %+v, last request %+v", s, s.LastRequest)
	}
	if m := get[native.History](t, w, "GET", "/api/v1/sessions/"+id+"/messages", "").Items; m[1].Narrowed != nil || m[3].Narrowed == nil || m[3].Narrowed.BaseIDs[0] != "default" {
		t.Errorf("the answers were narrowed to %+v and %+v", m[1].Narrowed, m[3].Narrowed)
	}
	w.ask(t, id, "q")
	if s = get[core.Session](t, w, "GET", "/api/v1/sessions/"+id, ""); s.LastRequest.TopK != 0 {
		t.Errorf("the last request is %+v", s.LastRequest)
	}
}
