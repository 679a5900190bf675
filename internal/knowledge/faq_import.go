package knowledge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"kaoju/internal/core"
	"kaoju/internal/store"
	"kaoju/internal/text"
)

// ImportMode says what becomes of the entries that are there.
type ImportMode string

// Modes of an import.
const (
	// ImportAppend adds what is new and leaves what is there alone.
	ImportAppend ImportMode = "append"
	// ImportReplace makes the base hold what the file holds. Entries keep
	// their id by their standard question; older versions keep the old ones.
	ImportReplace ImportMode = "replace"
)

// FAQImport is a file of entries to import.
type FAQImport struct {
	Name   string // of the file; only shown
	Data   []byte
	Mode   ImportMode // empty means ImportAppend
	DryRun bool       // say what would happen, and do nothing
}

// FAQProblem is something about one row of a file.
type FAQProblem struct {
	Row       int       `json:"row"` // of the sheet, its header counted; in JSON, of the list: from 1
	Question  string    `json:"question"`
	Duplicate bool      `json:"duplicate"` // it is there already, and was left out; else the row is wrong
	Code      core.Code `json:"code"`
	Message   string    `json:"message"`
}

// FAQReport is what an import did, or would do.
type FAQReport struct {
	DryRun    bool         `json:"dry_run"`
	Rows      int          `json:"rows"`
	Added     int          `json:"added"`
	Changed   int          `json:"changed"`
	Unchanged int          `json:"unchanged"`
	Removed   int          `json:"removed"`
	Failed    int          `json:"failed"`    // rows that are wrong
	Skipped   int          `json:"skipped"`   // rows whose question was there already
	Problems  []FAQProblem `json:"problems"`  // at most 1,000
	Truncated bool         `json:"truncated"` // there were more problems
}

const maxProblems = 1000

// ImportFAQ takes the entries of a file into an FAQ base, as one version. Rows
// that are wrong and questions that are there already are reported, with their
// row, and left out; in replace mode a wrong row stops the import, so that
// nothing is lost by a slip. A file that cannot be read at all is an error.
func (s *Service) ImportFAQ(ctx context.Context, scope core.Scope, base string, in FAQImport) (FAQReport, error) {
	if in.Mode = or(in.Mode, ImportAppend); in.Mode != ImportAppend && in.Mode != ImportReplace {
		return FAQReport{}, core.Errorf(core.CodeInvalid, "the mode is append or replace, not %q", in.Mode)
	}
	b, done, err := s.editFAQ(ctx, scope, base)
	if err != nil {
		return FAQReport{}, err
	}
	defer done()
	records, err := s.readFAQ(ctx, in.Name, in.Data)
	if err != nil {
		return FAQReport{}, err
	}
	there, _, err := s.db.FAQs(ctx, b.ID, store.FAQFilter{}, 0, 0)
	if err != nil {
		return FAQReport{}, err
	}
	plan := planImport(b.ID, in.Mode, records, there)
	plan.report.DryRun = in.DryRun
	if in.DryRun || plan.empty() {
		return plan.report, nil
	}
	if in.Mode == ImportReplace && plan.report.Failed > 0 {
		return plan.report, core.Errorf(core.CodeInvalid, "nothing was replaced, for %d rows are wrong; the first is row %d: %s",
			plan.report.Failed, plan.firstWrong().Row, plan.firstWrong().Message)
	}
	return plan.report, s.runImport(ctx, b.ID, plan)
}

func (s *Service) runImport(ctx context.Context, baseID string, plan importPlan) error {
	c := store.FAQChange{
		Replace: plan.mode == ImportReplace, Model: s.indexer.Model(),
		Note: fmt.Sprintf("import %d FAQ entries (%s)", len(plan.put), plan.mode),
	}
	for _, p := range plan.put {
		w, err := s.writeOf(ctx, p.faq, p.isNew)
		if err != nil {
			return err
		}
		c.Put = append(c.Put, w)
	}
	for id := range plan.kept {
		c.Keep = append(c.Keep, id)
	}
	return s.changeFAQ(ctx, baseID, c)
}

// importPlan is what an import will do.
type importPlan struct {
	mode   ImportMode
	baseID string
	put    []importPut
	kept   map[string]bool // entries that stay as they are, in replace mode
	report FAQReport

	owner map[string]string   // the standard question of the entry that each text.Key leads to
	there map[string]core.FAQ // what the base has, by the key of its standard question
}

type importPut struct {
	faq   core.FAQ
	isNew bool
}

func planImport(baseID string, mode ImportMode, records []faqRecord, there []core.FAQ) importPlan {
	p := importPlan{
		mode: mode, baseID: baseID, kept: map[string]bool{}, owner: map[string]string{}, there: map[string]core.FAQ{},
		report: FAQReport{Rows: len(records), Problems: []FAQProblem{}},
	}
	for _, f := range there {
		p.there[text.Key(f.Question)] = f
		if mode == ImportAppend {
			p.owns(f)
		}
	}
	for _, r := range p.checked(records) {
		p.take(r)
	}
	if mode == ImportReplace {
		p.report.Removed = len(there) - p.report.Changed - p.report.Unchanged
	}
	return p
}

// checked tidies the records and leaves out those that are wrong. Of equal
// standard questions the first counts, against which similar questions of
// earlier rows have to give way.
func (p *importPlan) checked(records []faqRecord) []faqRecord {
	var good []faqRecord
	first := map[string]int{}
	for _, r := range records {
		if r.err == nil {
			r.err = tidyFAQ(&r.faq)
		}
		if r.err != nil {
			p.report.Failed++
			p.problem(r, core.CodeOf(r.err), false, core.PublicMessage(r.err))
			continue
		}
		key := text.Key(r.faq.Question)
		if row, again := first[key]; again {
			p.report.Skipped++
			p.problem(r, core.CodeConflict, true, fmt.Sprintf("row %d has the same standard question", row))
			continue
		}
		first[key] = r.row
		good = append(good, r)
	}
	for _, r := range good {
		if key := text.Key(r.faq.Question); p.owner[key] == "" {
			p.owner[key] = r.faq.Question
		}
	}
	return good
}

func (p *importPlan) owns(f core.FAQ) {
	for _, q := range f.Questions() {
		p.owner[text.Key(q)] = f.Question
	}
}

// take decides on one record.
func (p *importPlan) take(r faqRecord) {
	key := text.Key(r.faq.Question)
	if owner := p.owner[key]; text.Key(owner) != key {
		p.report.Skipped++
		p.problem(r, core.CodeConflict, true, fmt.Sprintf("the question leads to the entry %q already", owner))
		return
	}
	r.faq.Similar = slices.DeleteFunc(r.faq.Similar, func(q string) bool {
		owner := p.owner[text.Key(q)]
		if owner == "" || text.Key(owner) == key {
			return false
		}
		p.problem(r, core.CodeConflict, true, fmt.Sprintf("the similar question %q was left out: it leads to the entry %q already", q, owner))
		return true
	})
	old, known := p.there[key]
	switch {
	case !known:
		p.report.Added++
		r.faq.ID, r.faq.BaseID = core.NewID(), p.baseID
		p.put = append(p.put, importPut{r.faq, true})
	case sameFAQ(old, r.faq):
		p.report.Unchanged++
		p.kept[old.ID] = true
	case p.mode == ImportAppend:
		p.report.Skipped++
		p.problem(r, core.CodeConflict, true, "there is an entry with this standard question that says something else; change that, or import with mode replace")
		return
	default:
		p.report.Changed++
		r.faq.ID, r.faq.BaseID, r.faq.FolderID = old.ID, p.baseID, old.FolderID
		p.put = append(p.put, importPut{r.faq, false})
	}
	p.owns(r.faq)
}

func sameFAQ(a, b core.FAQ) bool {
	return a.Question == b.Question && slices.Equal(a.Similar, b.Similar) && slices.Equal(a.Negative, b.Negative) &&
		slices.Equal(a.Answers, b.Answers) && a.Strategy == b.Strategy && a.Disabled == b.Disabled && slices.Equal(a.Tags, b.Tags)
}

func (p *importPlan) problem(r faqRecord, code core.Code, duplicate bool, message string) {
	if len(p.report.Problems) == maxProblems {
		p.report.Truncated = true
		return
	}
	p.report.Problems = append(p.report.Problems, FAQProblem{
		Row: r.row, Question: text.Truncate(r.faq.Question, 200), Duplicate: duplicate, Code: code, Message: message,
	})
}

func (p *importPlan) firstWrong() FAQProblem {
	for _, x := range p.report.Problems {
		if !x.Duplicate {
			return x
		}
	}
	return FAQProblem{}
}

// empty reports whether nothing would change.
func (p *importPlan) empty() bool {
	return len(p.put) == 0 && p.report.Removed == 0
}

// ExportFAQ writes all entries of a base in a format: FAQCSV, FAQXLSX or
// FAQJSON. Importing the file in replace mode changes nothing.
func (s *Service) ExportFAQ(ctx context.Context, scope core.Scope, base, format string, w io.Writer) error {
	b, err := s.faqBase(ctx, scope, base)
	if err != nil {
		return err
	}
	entries, _, err := s.db.FAQs(ctx, b.ID, store.FAQFilter{}, 0, 0)
	if err != nil {
		return err
	}
	slices.Reverse(entries) // in the order in which they were made, so that it stays
	return exported(writeFAQ(w, format, entries))
}

// FAQTemplate writes a file to fill in, with one example.
func FAQTemplate(format string, w io.Writer) error {
	example := core.FAQ{Tags: []string{"财务"}}
	example.FAQEntry = core.FAQEntry{
		Question: "怎么开发票？", Similar: []string{"如何申请发票", "开票流程是什么"}, Negative: []string{"发票丢了怎么办"},
		Answers: []string{"登录后台，在“财务中心”里选择订单，点“申请开票”。"}, Strategy: core.AnswerAll,
	}
	return exported(writeFAQ(w, format, []core.FAQ{example}))
}

func exported(err error) error {
	var known *core.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return fmt.Errorf("write the FAQ entries: %w", err)
}
