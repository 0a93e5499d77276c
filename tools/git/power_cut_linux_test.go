package git_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tools/git"
)

// disk is a file system in a file. What is in the file at some moment is what a
// power cut at that moment leaves: everything else is still in memory.
type disk struct {
	t           *testing.T
	image, root string
}

// newDisk mounts an empty disk.
func newDisk(t *testing.T) disk {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can mount the disk whose power is cut")
	}
	d := disk{t: t, image: filepath.Join(t.TempDir(), "image")}
	require.NoError(t, exec.Command("truncate", "-s", "64M", d.image).Run())
	if out, err := exec.Command("mkfs.ext4", "-q", d.image).CombinedOutput(); err != nil {
		t.Skipf("this machine cannot make an ext4 disk: %v: %s", err, out)
	}
	d.mount()
	return d
}

func (d *disk) mount() {
	d.t.Helper()
	d.root = d.t.TempDir()
	if out, err := exec.Command("mount", "-o", "loop", d.image, d.root).CombinedOutput(); err != nil {
		d.t.Skipf("this machine cannot mount a disk: %v: %s", err, out)
	}
	root := d.root
	d.t.Cleanup(func() { _ = exec.Command("umount", "-l", root).Run() })
}

// cut gives the disk as it is after a power cut now, repaired by its journal.
func (d *disk) cut() disk {
	d.t.Helper()
	left := disk{t: d.t, image: filepath.Join(d.t.TempDir(), "left")}
	out, err := exec.Command("cp", "--sparse=always", d.image, left.image).CombinedOutput()
	require.NoError(d.t, err, "%s", out)
	left.mount()
	return left
}

func TestPowerCutAfterMergeLosesNothing(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	h := newHomeIn(t, filepath.Join(d.root, "project"), map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	h.trees.Root = filepath.Join(d.root, "worktrees")
	require.NoError(t, exec.Command("sync", "-f", d.root).Run())

	first := h.prepare("T-1")
	h.put(first.Dir, map[string]string{"a.txt": "one, mended\n", "new/c.txt": "three\n"})
	second := h.prepare("T-2")
	h.put(second.Dir, map[string]string{"b.txt": "two, mended\n"})
	h.merge("T-1", 1)
	merged := h.merge("T-2", 1)

	left := d.cut()
	after := &home{t: t, dir: filepath.Join(left.root, "project"), trees: h.trees}
	after.trees.Project, after.trees.Root = after.dir, filepath.Join(left.root, "worktrees")
	after.git("fsck", "--full", "--strict")
	require.Equal(t, merged.Commit, after.git("rev-parse", after.trees.Branch()))
	for name, text := range map[string]string{"a.txt": "one, mended", "b.txt": "two, mended", "new/c.txt": "three"} {
		require.Equal(t, text, after.git("show", merged.Commit+":"+name))
		onDisk, err := os.ReadFile(filepath.Join(after.trees.Root, git.Merged, name))
		require.NoError(t, err)
		require.Equal(t, text+"\n", string(onDisk), "in the files of what is merged")
	}
}

func TestPowerCutAfterPrepareLeavesAWholeWorktree(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	h := newHomeIn(t, filepath.Join(d.root, "project"), map[string]string{"a.txt": "one\n", "sub/b.txt": "two\n"})
	h.trees.Root = filepath.Join(d.root, "worktrees")
	require.NoError(t, exec.Command("sync", "-f", d.root).Run())
	h.prepare("T-1")

	left := d.cut()
	for name, text := range map[string]string{"a.txt": "one\n", "sub/b.txt": "two\n"} {
		onDisk, err := os.ReadFile(filepath.Join(left.root, "worktrees", "T-1", name))
		require.NoError(t, err)
		require.Equal(t, text, string(onDisk))
	}
}
