package web_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/chromedp"

	"kaoju/internal/app"
)

var (
	// shots is where pictures of the pages go; none are taken without it.
	shots = flag.String("shots", "", "folder for pictures of every page and state")
	// chromium is the one Chromium that all tests share, a profile each.
	chromium context.Context
)

// TestMain starts the browser, and lets the test binary read files in child
// processes as kaoju does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == app.WorkerCommand {
		cache := ""
		if len(os.Args) > 2 {
			cache = os.Args[2]
		}
		if err := app.ServeWorker(context.Background(), os.Stdin, os.Stdout, cache); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	allocator, stop := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, // the tests run as root in CI, where the sandbox cannot start
		chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("force-color-profile", "srgb"),
		chromedp.Flag("hide-scrollbars", false),
	)...)
	defer stop()
	ctx, cancel := chromedp.NewContext(allocator)
	defer cancel()
	if err := chromedp.Do(ctx); err != nil { // starts it
		fmt.Fprintln(os.Stderr, "Chromium does not start; .ci/setup installs it:", err)
		return 1
	}
	chromium = ctx
	return m.Run()
}
