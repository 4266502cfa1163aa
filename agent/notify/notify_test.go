package notify

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/timeout-auditor/timeout-auditor/rules"
)

var errDown = errors.New("connection refused")

// start runs the notifier in its bubble and returns what stops it.
func (b *bench) start(t *testing.T) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		b.Run(ctx)
		close(ended)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// cycle publishes a report and lets a minute pass.
func (b *bench) cycle(findings ...rules.Finding) {
	b.Publish(reportOf(findings...))
	time.Sleep(time.Minute)
}

func TestEveryAlertmanagerIsToldWithEachReportAndOfWhatClears(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := &fake{}, &fake{}
		b := newBench(t, map[string]*fake{"one": one, "two": two})
		stop := b.start(t)
		b.cycle(found("a"), found("b"))
		b.cycle(found("a"), found("b"))
		b.cycle(found("b"))
		stop()
		for name, f := range map[string]*fake{"one": one, "two": two} {
			if got, want := f.names(), "a b a b b -a"; got != want {
				t.Errorf("%s was told %s, want %s", name, got, want)
			}
			if got := b.count(t, name, Success); got != 6 {
				t.Errorf("%s: %v successes are counted, want 6", name, got)
			}
		}
		if problems, err := testutil.GatherAndLint(b.registry); err != nil || len(problems) > 0 {
			t.Errorf("metrics: %v, %v", err, problems)
		}
	})
}

func TestOneAlertmanagerDownDelaysNoOtherAndHearsTheNewestStateWhenItIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var down atomic.Bool
		down.Store(true)
		well, ill := &fake{}, &fake{answer: func(*http.Request, []Alert) (int, error) {
			if down.Load() {
				return 0, errDown
			}
			return http.StatusOK, nil
		}}
		b := newBench(t, map[string]*fake{"well": well, "ill": ill})
		stop := b.start(t)
		for minute := range 30 {
			if minute < 20 {
				b.cycle(found("old"), found("lasting"))
			} else {
				b.cycle(found("lasting"))
			}
		}
		told := well.times()
		for i := range 20 {
			if got, want := told[i].Sub(told[0]), time.Duration(i)*time.Minute; got != want {
				t.Errorf("report %d reached the other after %s, want %s", i, got, want)
			}
		}
		down.Store(false)
		b.cycle(found("lasting"))
		stop()
		if got, want := ill.names(), "lasting -old"; !strings.HasPrefix(got, want) {
			t.Errorf("told after its return: %s, want what stands now: %s", got, want)
		}
		if got := len(ill.taken()); got > 5 {
			t.Errorf("%d alerts after the return: the past was told too", got)
		}
		if n := strings.Count(b.log.String(), "not reached"); n != 1 {
			t.Errorf("the failure is logged %d times, want once:\n%s", n, b.log)
		}
		if n := strings.Count(b.log.String(), "reached again"); n != 1 {
			t.Errorf("the return is logged %d times, want once:\n%s", n, b.log)
		}
		if b.count(t, "ill", Failed) < 30 || b.count(t, "well", Failed) != 0 {
			t.Errorf("failures counted: ill %v, well %v", b.count(t, "ill", Failed), b.count(t, "well", Failed))
		}
	})
}

func TestFailedPushIsTriedAgainEverLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tries []time.Duration
		began := time.Now()
		b := newBench(t, map[string]*fake{"one": {answer: func(*http.Request, []Alert) (int, error) {
			tries = append(tries, time.Since(began))
			return http.StatusServiceUnavailable, nil
		}}})
		stop := b.start(t)
		b.Publish(reportOf(found("a")))
		time.Sleep(95 * time.Second)
		stop()
		want := "[0s 1s 3s 7s 15s 31s 1m1s 1m31s 1m35s]" // the last at shutdown
		if got := fmt.Sprint(tries); got != want {
			t.Errorf("tries after %s, want %s", got, want)
		}
	})
}

func TestSlowAlertmanagerTimesOutAndHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		well, slow := &fake{}, &fake{answer: func(req *http.Request, _ []Alert) (int, error) {
			<-req.Context().Done()
			return 0, req.Context().Err()
		}}
		b := newBench(t, map[string]*fake{"well": well, "slow": slow})
		stop := b.start(t)
		b.Publish(reportOf(found("a")))
		synctest.Wait()
		if got := well.names(); got != "a" {
			t.Errorf("the other was told %q at once, want a", got)
		}
		time.Sleep(11 * time.Second)
		if got := b.count(t, "slow", Failed); got != 1 {
			t.Errorf("%v failures after the timeout of 10 s, want 1", got)
		}
		began := time.Now()
		stop()
		if took := time.Since(began); took > drainLimit {
			t.Errorf("shutdown took %s, want at most %s", took, drainLimit)
		}
	})
}

func TestRejectedAlertTakesNoOtherWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		f := &fake{answer: func(_ *http.Request, alerts []Alert) (int, error) {
			requests++
			for _, a := range alerts {
				if a.Labels["dependency"] == "d037" {
					return http.StatusBadRequest, nil
				}
			}
			return http.StatusOK, nil
		}}
		b := newBench(t, map[string]*fake{"one": f})
		stop := b.start(t)
		b.cycle(many(100)...)
		if got := len(f.taken()); got != 99 {
			t.Errorf("%d of 100 alerts arrived, want all but the one that is rejected", got)
		}
		if requests > 16 {
			t.Errorf("%d requests, want about twice the logarithm of a batch", requests)
		}
		b.cycle(many(100)...)
		stop()
		if got := len(f.taken()); got != 198 {
			t.Errorf("%d alerts arrived in two cycles, want 198", got)
		}
		if n := strings.Count(b.log.String(), "rejects an alert"); n != 1 || !strings.Contains(b.log.String(), "d037") {
			t.Errorf("logged %d times, want once with its labels:\n%s", n, b.log)
		}
		if got := b.count(t, "one", Rejected); got != 2 {
			t.Errorf("%v rejections are counted, want one for each cycle", got)
		}
		if b.count(t, "one", Success) != 198 || b.count(t, "one", Failed) != 0 || strings.Contains(b.log.String(), "not reached") {
			t.Errorf("a rejected alert counts as an Alertmanager that fails:\n%s", b.log)
		}
	})
}

// 401 and 404 are about the sender and the path: halving a batch helps nothing.
func TestRefusalOfTheSenderIsAFailureOfTheWholeBatch(t *testing.T) {
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusTooManyRequests, http.StatusBadGateway} {
		synctest.Test(t, func(t *testing.T) {
			requests := 0
			b := newBench(t, map[string]*fake{"one": {answer: func(*http.Request, []Alert) (int, error) {
				requests++
				return status, nil
			}}})
			stop := b.start(t)
			b.Publish(reportOf(many(10)...))
			synctest.Wait()
			if requests != 1 || b.count(t, "one", Failed) != 10 || b.count(t, "one", Rejected) != 0 {
				t.Errorf("%d: %d requests, %v failed, %v rejected", status, requests, b.count(t, "one", Failed), b.count(t, "one", Rejected))
			}
			if want := fmt.Sprintf("%d %s: an answer", status, http.StatusText(status)); !strings.Contains(b.log.String(), want) {
				t.Errorf("the log does not say %q:\n%s", want, b.log)
			}
			stop()
		})
	}
}

func TestFullQueueIsCountedAndLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil)
		b.options.QueueCapacity = 3
		b.adopt(t, map[string]*fake{"one": {answer: func(*http.Request, []Alert) (int, error) { return 0, errDown }}})
		stop := b.start(t)
		b.cycle(many(5)...)
		b.cycle(many(5)...)
		stop()
		if got := b.count(t, "one", Dropped); got != 4 {
			t.Errorf("%v dropped, want 2 in each of two cycles", got)
		}
		if n := strings.Count(b.log.String(), "queue is full"); n != 1 {
			t.Errorf("logged %d times, want once:\n%s", n, b.log)
		}
	})
}

func TestAlertsAreRepeatedUnderASlowScheduleAndEndWhereTheyDid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := newBench(t, map[string]*fake{"one": f})
		stop := b.start(t)
		b.Publish(reportOf(found("a")))
		time.Sleep(7 * time.Minute)
		stop()
		told := f.taken()
		if len(told) != 4 {
			t.Fatalf("told %d times in seven minutes, want at once and every two minutes", len(told))
		}
		if !told[3].EndsAt.Equal(told[0].EndsAt) {
			t.Errorf("the end moved from %s to %s without a report", told[0].EndsAt, told[3].EndsAt)
		}
	})
}

func TestReloadKeepsWhatStandsAndForgetsAnAlertmanagerThatLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		old, kept, added := &fake{}, &fake{}, &fake{}
		b := newBench(t, map[string]*fake{"old": old, "kept": kept})
		stop := b.start(t)
		b.cycle(found("a"), found("removed"))
		b.adopt(t, map[string]*fake{"kept": kept, "added": added})
		b.cycle(found("a"))
		stop()
		if got, want := old.names(), "a removed"; got != want {
			t.Errorf("the one that left was told %q, want %q", got, want)
		}
		if got, want := kept.names(), "a removed a -removed"; got != want {
			t.Errorf("the one that stayed was told %q, want %q", got, want)
		}
		if got, want := added.names(), "a -removed"; got != want {
			t.Errorf("the new one was told %q, want %q", got, want)
		}
		families, err := b.registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, family := range families {
			for _, m := range family.GetMetric() {
				if m.GetLabel()[0].GetValue() == "old" {
					t.Errorf("%s still has the one that left", family.GetName())
				}
			}
		}
	})
}

func TestShutdownDeliversWhatIsQueuedAndResolvesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{answer: func(req *http.Request, _ []Alert) (int, error) {
			select {
			case <-time.After(time.Second):
				return http.StatusOK, nil
			case <-req.Context().Done():
				return 0, req.Context().Err()
			}
		}}
		b := newBench(t, map[string]*fake{"one": f})
		stop := b.start(t)
		b.Publish(reportOf(many(100)...))
		stop() // in the middle of the first of two batches
		if got := len(f.taken()); got != 100 {
			t.Errorf("%d alerts were delivered, want all 100", got)
		}
		if strings.Contains(f.names(), "-") {
			t.Error("the shutdown resolved what stands")
		}
	})
}
