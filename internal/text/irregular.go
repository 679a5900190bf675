package text

import "strings"

// irregulars lists English words with the forms that no rule reaches, the
// basic form first. Forms that are words of another sense too (found, left,
// rose, leaves, LED) are left out.
const irregulars = `
	man men; woman women; child children; foot feet; tooth teeth; mouse mice; criterion criteria;
	analysis analyses; hypothesis hypotheses; crisis crises; thesis theses; basis bases; wife wives;
	knife knives; half halves; shelf shelves;
	know knew known; write wrote written; begin began begun; become became; build built; buy bought;
	bring brought; choose chose chosen; fight fought; give gave given; grow grew grown; hold held; keep kept;
	lose lost; make made; meet met; pay paid; sell sold; send sent; speak spoke spoken; spend spent;
	stand stood; teach taught; think thought; tell told; take took taken; understand understood; win won;
	rise risen; fall fell fallen; fly flew flown; draw drew drawn; drive drove driven; eat ate eaten;
	break broke broken; catch caught; come came; drink drank drunk; forget forgot forgotten; freeze froze frozen;
	get got gotten; go went gone; hide hid hidden; hear heard; lay laid; lend lent; mean meant; ride rode ridden;
	ring rang rung; run ran; say said; seek sought; shake shook shaken; shoot shot; show shown; sing sang sung;
	sink sank sunk; sit sat; sleep slept; steal stole stolen; swim swam swum; throw threw thrown; wear wore worn;
	withdraw withdrew withdrawn; undergo underwent undergone; oversee oversaw overseen`

var basicForms = readForms(irregulars)

func readForms(table string) map[string]string {
	basic := map[string]string{}
	for _, family := range strings.Split(table, ";") {
		forms := strings.Fields(family)
		for _, form := range forms[1:] {
			basic[form] = forms[0]
		}
	}
	return basic
}
