package charset_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"kaoju/internal/parse/charset"
)

const (
	simplified  = "退货需在签收后七天内提出申请，运费由买家承担。\n客服电话：400-800-1234，工作时间为每天九点到十八点。\n"
	traditional = "商品簽收後七天內可以申請退貨，運費由買家負擔。\n請先閱讀產品說明書，再開始使用這個裝置。\n"
	japaneseTxt = "商品を受け取ってから七日以内に返品を申し込んでください。送料はお客様のご負担になります。\n"
	koreanTxt   = "상품을 받은 날부터 칠 일 안에 반품을 신청해 주십시오. 배송료는 고객이 부담합니다.\n"
	french      = "Le client peut retourner le produit dans un délai de sept jours après la réception, à ses frais. Voilà où ça mène.\n"
	russian     = "Покупатель может вернуть товар в течение семи дней после получения, доставка оплачивается покупателем.\n"
)

func encode(t testing.TB, enc encoding.Encoding, s string) []byte {
	t.Helper()
	b, err := enc.NewEncoder().Bytes([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A54, A55: one decoder reads what office programs in East Asia write.
func TestDecodeFindsTheEncoding(t *testing.T) {
	le, be := unicode.LittleEndian, unicode.BigEndian
	tests := []struct {
		name, text string
		enc        encoding.Encoding
	}{
		{"utf-8", simplified, encoding.Nop},
		{"gb18030", simplified, simplifiedchinese.GBK},
		{"gb18030", "扩展汉字㐀与𠮷也要能读，这是四字节的编码。", simplifiedchinese.GB18030},
		{"gb18030", "开票", simplifiedchinese.GBK},
		{"gb18030", "问题,答案\n怎么退货,联系客服\n", simplifiedchinese.GBK},
		{"big5", traditional, traditionalchinese.Big5},
		{"big5", "退貨流程", traditionalchinese.Big5},
		{"shift_jis", japaneseTxt, japanese.ShiftJIS},
		{"euc-jp", japaneseTxt, japanese.EUCJP},
		{"iso-2022-jp", japaneseTxt, japanese.ISO2022JP},
		{"euc-kr", koreanTxt, korean.EUCKR},
		{"windows-1252", french, charmap.Windows1252},
		{"windows-1251", russian, charmap.Windows1251},
		{"utf-16le", simplified, unicode.UTF16(le, unicode.UseBOM)},
		{"utf-16be", simplified, unicode.UTF16(be, unicode.UseBOM)},
		{"utf-16le", simplified, unicode.UTF16(le, unicode.IgnoreBOM)},
		{"utf-16be", traditional, unicode.UTF16(be, unicode.IgnoreBOM)},
		{"utf-16le", french, unicode.UTF16(le, unicode.IgnoreBOM)},
		{"utf-32le", simplified, utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)},
		{"utf-32be", simplified, utf32.UTF32(utf32.BigEndian, utf32.UseBOM)},
	}
	for _, tt := range tests {
		got := charset.Decode(encode(t, tt.enc, tt.text), "")
		if got.Text != tt.text || got.Encoding != tt.name {
			t.Errorf("%s: got %s, %.60q", tt.name, got.Encoding, got.Text)
		}
	}
}

// Every piece of a Chinese text of a few characters is read right: names of
// columns and short notes are all there is to go by.
func TestDecodeShortChinese(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		enc  encoding.Encoding
	}{
		"gb18030": {simplified, simplifiedchinese.GBK},
		"big5":    {traditional, traditionalchinese.Big5},
	} {
		for line := range strings.Lines(tt.text) {
			runes := []rune(strings.TrimSpace(line))
			for i := 0; i+6 <= len(runes); i++ {
				s := string(runes[i : i+6])
				if got := charset.Decode(encode(t, tt.enc, s), ""); got.Text != s {
					t.Errorf("%s: %q reads as %q (%s)", name, s, got.Text, got.Encoding)
				}
			}
		}
	}
}

// A declared encoding is believed only where the bytes agree.
func TestDecodeDeclared(t *testing.T) {
	tests := []struct {
		name, declared, want string
		data                 []byte
	}{
		{"right claim", "gb2312", simplified, encode(t, simplifiedchinese.GBK, simplified)},
		{"claims utf-8, is gbk", "utf-8", simplified, encode(t, simplifiedchinese.GBK, simplified)},
		{"claims gbk, is utf-8", "gbk", simplified, []byte(simplified)},
		{"mark beats claim", "utf-8", simplified, encode(t, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), simplified)},
		{"unknown name", "no-such-set", traditional, encode(t, traditionalchinese.Big5, traditional)},
		{"claims shift_jis, is gbk", "shift_jis", simplified, encode(t, simplifiedchinese.GBK, simplified)},
	}
	for _, tt := range tests {
		if got := charset.Decode(tt.data, tt.declared); got.Text != tt.want {
			t.Errorf("%s: got %s, %.60q", tt.name, got.Encoding, got.Text)
		}
	}
}

// A few broken bytes do not turn UTF-8 into something else.
func TestDecodeDamagedUTF8(t *testing.T) {
	got := charset.Decode([]byte(simplified+"\xff"+simplified), "")
	if got.Encoding != "utf-8" || !strings.Contains(got.Text, "\uFFFD退货") {
		t.Errorf("got %s, %q", got.Encoding, got.Text)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{simplified, traditional, "\xff\xfea\x00", "\x1b$B\x1b", "\x84\x31\xa4\x37", ""} {
		f.Add([]byte(s), "gbk")
	}
	f.Fuzz(func(t *testing.T, data []byte, declared string) {
		got := charset.Decode(data, declared)
		if !utf8.ValidString(got.Text) || got.Encoding == "" {
			t.Errorf("%q: %q", got.Encoding, got.Text)
		}
		charset.IsSixteen(data)
	})
}
