package sandbox

import (
	"bytes"
	"context"
	"errors"
	"io"
	"reflect"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

func TestFrameEndsAreTold(t *testing.T) {
	var whole bytes.Buffer
	if err := writeFrame(&whole, []byte("abc")); err != nil {
		t.Fatal(err)
	}
	for n := range whole.Len() {
		_, err := readFrame(bytes.NewReader(whole.Bytes()[:n]), 10)
		if want := io.ErrUnexpectedEOF; n == 0 && !errors.Is(err, io.EOF) || n > 0 && !errors.Is(err, want) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if _, err := readFrame(bytes.NewReader(whole.Bytes()), 2); !errors.Is(err, errTooLong) {
		t.Errorf("a frame over the limit: %v", err)
	}
	if got, err := readFrame(&whole, 3); err != nil || string(got) != "abc" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestReplyIsADocumentOrAnError(t *testing.T) {
	for _, raw := range []string{`{}`, `{"document":{},"code":"corrupt"}`, `[]`, ``, `{"code":`} {
		var b bytes.Buffer
		if err := writeFrame(&b, []byte(raw)); err != nil {
			t.Fatal(err)
		}
		if rep, err := readReply(&b); err == nil {
			t.Errorf("%q was taken as %+v", raw, rep)
		}
	}
}

func TestServeEndsWithItsInput(t *testing.T) {
	var in, out bytes.Buffer
	if err := writeRequest(&in, header{Format: "none"}, []byte("data")); err != nil {
		t.Fatal(err)
	}
	if err := Serve(context.Background(), &in, &out, nil); err != nil {
		t.Fatal(err)
	}
	if rep, err := readReply(&out); err != nil || rep.Code != core.CodeInternal {
		t.Errorf("got %+v, %v", rep, err)
	}
	in.WriteString("\x00\x00\x00\x05{bad}")
	if err := Serve(context.Background(), &in, &out, nil); err == nil {
		t.Error("a request that is not understood did not end Serve with an error")
	}
}

func FuzzReadRequest(f *testing.F) {
	var b bytes.Buffer
	if err := writeRequest(&b, header{Format: "pdf", Name: "a", MaxText: 3}, []byte("%PDF")); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("\xff\xff\xff\xff"))
	f.Add([]byte("\x00\x00\x00\x02{}\x3f\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		h, data, err := readRequest(bytes.NewReader(raw))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := writeRequest(&again, h, data); err != nil {
			t.Fatal(err)
		}
		h2, data2, err := readRequest(&again)
		if err != nil || h2 != h || !bytes.Equal(data, data2) {
			t.Errorf("%+v %q came back as %+v %q, %v", h, data, h2, data2, err)
		}
	})
}

func FuzzReadReply(f *testing.F) {
	for _, rep := range []reply{
		{Code: core.CodeCorrupt, Message: "m"},
		{Document: &parse.Document{Blocks: []parse.Block{parse.NewTable([][]string{{"a"}, {"b"}}, 1, 1)}}},
	} {
		var b bytes.Buffer
		if err := writeReply(&b, rep); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		rep, err := readReply(bytes.NewReader(raw))
		if err != nil || rep.Document == nil {
			return
		}
		for _, b := range rep.Document.Blocks {
			if b.Kind == parse.Table && b.Text != parse.TableText(b.Rows, b.Header) && reflect.DeepEqual(b.Rows, [][]string(nil)) {
				t.Errorf("a table without rows has text %q", b.Text)
			}
		}
	})
}
