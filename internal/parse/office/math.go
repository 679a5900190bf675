package office

import (
	"encoding/xml"
	"strings"
	"unicode/utf8"

	"kaoju/internal/core"
)

// mathNode is an element of an equation (OMML).
type mathNode struct {
	name string
	val  string // of a property
	set  bool   // the property has a value, possibly empty
	text string // of m:t
	kids []*mathNode
}

// readMath reads an element of an equation through its end.
func (w *walker) readMath(name string, depth int) (*mathNode, error) {
	if depth+w.depth > w.lim.MaxDepth {
		return nil, core.Errorf(core.CodeCorrupt, "an equation is nested more than %d deep", w.lim.MaxDepth)
	}
	n := &mathNode{name: name}
	if name == "t" {
		text, err := w.chars()
		n.text = text
		return n, err
	}
	for {
		tok, err := w.next()
		if err != nil {
			return nil, err
		}
		switch el := tok.(type) {
		case xml.StartElement:
			if el.Name.Local == "del" || el.Name.Local == "moveFrom" {
				if err := w.dec.Skip(); err != nil {
					return nil, err
				}
				continue
			}
			kid, err := w.readMath(el.Name.Local, depth+1)
			if err != nil {
				return nil, err
			}
			kid.val, kid.set = attrOK(el, "val")
			n.kids = append(n.kids, kid)
		case xml.EndElement:
			return n, nil
		}
	}
}

// kid gives the first child of a name; nil if there is none.
func (n *mathNode) kid(name string) *mathNode {
	if n == nil {
		return nil
	}
	for _, k := range n.kids {
		if k.name == name {
			return k
		}
	}
	return nil
}

// part writes the first child of a name on a line.
func (n *mathNode) part(name string) string {
	if k := n.kid(name); k != nil {
		return k.linear()
	}
	return ""
}

// property gives a property's value, else its default.
func (n *mathNode) property(group, name, fallback string) string {
	if p := n.kid(group).kid(name); p != nil && p.set {
		return p.val
	}
	return fallback
}

// all writes the children of a name, joined.
func (n *mathNode) all(name, between string) string {
	var parts []string
	for _, k := range n.kids {
		if k.name == name {
			parts = append(parts, k.linear())
		}
	}
	return strings.Join(parts, between)
}

// linear writes an equation on a line: (a+b)/c, x^2, √(y), ∑_(i=1)^n i.
func (n *mathNode) linear() string {
	switch n.name {
	case "t":
		return n.text
	case "f":
		return group(n.part("num")) + "/" + group(n.part("den"))
	case "sSup":
		return n.part("e") + "^" + group(n.part("sup"))
	case "sSub":
		return n.part("e") + "_" + group(n.part("sub"))
	case "sSubSup":
		return n.part("e") + "_" + group(n.part("sub")) + "^" + group(n.part("sup"))
	case "sPre":
		return "_" + group(n.part("sub")) + "^" + group(n.part("sup")) + n.part("e")
	case "limLow":
		return n.part("e") + "_" + group(n.part("lim"))
	case "limUpp":
		return n.part("e") + "^" + group(n.part("lim"))
	case "func":
		return n.part("fName") + " " + n.part("e")
	case "eqArr":
		return n.all("e", "; ")
	case "m":
		return "[" + n.all("mr", "; ") + "]"
	case "mr":
		return n.all("e", ", ")
	}
	return n.decorated()
}

// decorated writes the elements that put signs around their content, and
// those that only hold others.
func (n *mathNode) decorated() string {
	switch n.name {
	case "rad":
		if deg := n.part("deg"); deg != "" {
			return "√[" + deg + "](" + n.part("e") + ")"
		}
		return "√(" + n.part("e") + ")"
	case "nary":
		return n.nary()
	case "d":
		between := n.property("dPr", "sepChr", "|")
		return n.property("dPr", "begChr", "(") + n.all("e", between) + n.property("dPr", "endChr", ")")
	case "acc":
		return n.part("e") + n.property("accPr", "chr", "\u0302")
	case "bar":
		return n.part("e") + "\u0305"
	}
	var b strings.Builder
	for _, k := range n.kids {
		if !strings.HasSuffix(k.name, "Pr") {
			b.WriteString(k.linear())
		}
	}
	return b.String()
}

func (n *mathNode) nary() string {
	out := n.property("naryPr", "chr", "∫")
	if sub := n.part("sub"); sub != "" {
		out += "_" + group(sub)
	}
	if sup := n.part("sup"); sup != "" {
		out += "^" + group(sup)
	}
	return out + " " + n.part("e")
}

// group puts brackets around what is more than one sign or number.
func group(text string) string {
	if utf8.RuneCountInString(text) <= 1 || strings.Trim(text, "0123456789.") == "" {
		return text
	}
	if _, size := utf8.DecodeRuneInString(text); strings.HasPrefix(text, "(") && strings.Index(text, ")") == len(text)-1 && size == 1 {
		return text
	}
	return "(" + text + ")"
}
