package text

import "testing"

func TestRarityOrdersWords(t *testing.T) {
	order := []string{"的", "经济", "电车", "铜锣湾"}
	for i := 1; i < len(order); i++ {
		if a, b := Rarity(order[i-1]), Rarity(order[i]); a >= b {
			t.Errorf("%s has rarity %.1f, %s %.1f: want the first below", order[i-1], a, order[i], b)
		}
	}
	if Rarity("電車") != Rarity("电车") {
		t.Error("traditional characters change the rarity")
	}
	most := Rarity("")
	for _, unknown := range []string{"硕塞", "Apple", "电车电车电", "\xff"} {
		if got := Rarity(unknown); got != most {
			t.Errorf("%q has rarity %.1f, want that of the unknown, %.1f", unknown, got, most)
		}
	}
}
