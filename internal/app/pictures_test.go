package app

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/llm/llmtest"
)

// dotted is a picture, as a data URL.
func dotted(t *testing.T) string {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 64, 64))
	for i := range 64 * 64 {
		img.SetGray(i%64, i/64, color.Gray{Y: uint8(i * i >> 3)})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
}

// call sends JSON to the API and gives the status and the body.
func (d desk) call(method, path, body string) (int, string) {
	d.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Host = "localhost"
	r.RemoteAddr = "127.0.0.1:1"
	w := httptest.NewRecorder()
	d.App.Handler().ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// A question with a picture finds what the picture speaks of; what it shows is
// kept with the question for the next one. Without a model that sees, the turn
// goes on with the words and says so.
func TestPicturesOfQuestions(t *testing.T) {
	for _, sees := range []bool{true, false} {
		t.Run(fmt.Sprint(sees), func(t *testing.T) {
			e := llmtest.StartTCP(t, nil, llmtest.Answer(func(llmtest.Request) llmtest.Script {
				return streamOf("屏幕上写着 ERR-7310：水位过低")
			}))
			cfg := config.Default()
			cfg.Data = t.TempDir()
			if sees {
				cfg.VisionModel = config.Model{BaseURL: e.URL, Name: "eyes"}
			}
			a, err := Open(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			d := desk{t, a}
			d.add("boiler.md", "# 锅炉故障\n\n报 ERR-7310 时先关闭进水阀，再联系值班员王芳。\n")
			d.add("printer.md", "# 打印机故障\n\n卡纸时打开后盖，取出纸张。\n")
			d.settle()
			code, body := d.call(http.MethodPost, "/api/v1/sessions", `{}`)
			var s core.Session
			if err := json.Unmarshal([]byte(body), &s); err != nil || code >= 300 {
				t.Fatalf("%d %s", code, body)
			}
			_, stream := d.call(http.MethodPost, "/api/v1/sessions/"+s.ID+"/knowledge-qa", `{"query":"这个故障怎么处理？","images":[{"data":"`+dotted(t)+`"}]}`)
			list, err := a.db.ListMessages(t.Context(), core.OwnerScope(), s.ID, 0, 10)
			if err != nil || len(list) != 2 {
				t.Fatalf("%v, %+v", err, list)
			}
			if r := list[1].References; len(r) == 0 || (r[0].Document == "boiler.md") != sees {
				t.Errorf("the sources are %+v in\n%s", r, stream)
			}
			if got := list[0].Image; strings.Contains(got, "ERR-7310") != sees {
				t.Errorf("the question keeps %q", got)
			}
			if c := list[1].Confidence; c == nil || slices.Contains(c.Reasons, "pictures_not_read") == sees {
				t.Errorf("the answer says %+v", c)
			}
			if n := e.Calls(); sees && n != 1 || !sees && n != 0 {
				t.Errorf("%d calls", n)
			}
		})
	}
}

// What is no picture is refused before anything is stored.
func TestBadPicturesAreRefused(t *testing.T) {
	cfg := config.Default()
	cfg.Data = t.TempDir()
	a, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	d := desk{t, a}
	_, body := d.call(http.MethodPost, "/api/v1/sessions", `{}`)
	var s core.Session
	if err := json.Unmarshal([]byte(body), &s); err != nil {
		t.Fatal(err)
	}
	five := strings.Repeat(`{"data":"`+dotted(t)+`"},`, 5)
	for name, images := range map[string]string{
		"an address": `[{"data":"http://127.0.0.1/x.png"}]`, "no picture": `[{"data":"data:image/png;base64,PGh0bWw+"}]`,
		"five": "[" + strings.TrimSuffix(five, ",") + "]",
	} {
		if code, body := d.call(http.MethodPost, "/api/v1/sessions/"+s.ID+"/knowledge-qa", `{"query":"q","images":`+images+`}`); code < 400 || code >= 500 {
			t.Errorf("%s: %d %s", name, code, body)
		}
	}
	if list, err := a.db.ListMessages(t.Context(), core.OwnerScope(), s.ID, 0, 10); err != nil || len(list) != 0 {
		t.Errorf("%v, %d messages", err, len(list))
	}
}
