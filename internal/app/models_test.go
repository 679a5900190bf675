package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"kaoju/internal/config"
)

// endpointServer answers chat calls with one cited sentence until it is down.
func endpointServer(t *testing.T, down *bool, prompts *[]string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*prompts = append(*prompts, string(body))
		if *down {
			http.Error(w, `{"error":{"message":"no such model"}}`, http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, piece := range []string{`Fifteen days, says the handbook <ref id="c`, `1"/>.`} {
			encoded, _ := json.Marshal(piece)
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}}]}\n\n", encoded)
		}
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestConfiguredModelWrites(t *testing.T) {
	down, prompts := false, []string{}
	cfg := config.Default()
	cfg.Data = t.TempDir()
	cfg.ChatModel = config.Model{BaseURL: endpointServer(t, &down, &prompts), Name: "m", APIKey: "sk-TEST-123456"}
	cfg.Understand.By = config.UnderstandRules // question_test.go has the model's understanding
	a, err := Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	d := desk{t, a}
	d.add("leave.md", "# Leave\n\nStaff have 15 days of annual leave a year.\n")
	d.settle()
	out := d.ask("How many days of annual leave?")
	if out.Answer != "Fifteen days, says the handbook [1]." || len(out.Citations) != 1 {
		t.Errorf("answer %q, citations %+v", out.Answer, out.Citations)
	}
	if len(prompts) != 1 || !strings.Contains(prompts[0], "Staff have 15 days") || strings.Contains(prompts[0], out.References[0].ChunkID) {
		t.Errorf("the model was told %v", prompts)
	}

	down = true
	out = d.ask("How many days of annual leave?")
	if !strings.Contains(out.Answer, "15 days") || !slices.Contains(out.Confidence.Reasons, "chat_model_unavailable") {
		t.Errorf("with the model down: %q, %v", out.Answer, out.Confidence.Reasons)
	}
	for _, n := range out.Notes {
		if strings.Contains(n.Value, "sk-TEST") || strings.Contains(n.Value, cfg.ChatModel.BaseURL) {
			t.Errorf("the trace tells %q", n.Value)
		}
	}
}
