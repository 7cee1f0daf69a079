import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
/** Minimum free space in bytes: several times the amount that a run writes. */
const minimumFreeBytes = 4 * 2 ** 30;

/**
 * Creates a folder for the files of a test run. It is in memory if there is enough space, so that commits of
 * databases do not wait for a disk. In memory as on a disk, files survive when a process is killed.
 */
export function makeFastFolder() {
  const folder = mkdtempSync(join(hasSpace() ? memory : tmpdir(), 'ledger-ops-run-'));
  // PostgreSQL runs as another user when the tests run as root.
  chmodSync(folder, 0o1777);
  return folder;
}

function hasSpace() {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= minimumFreeBytes && runsPrograms();
  } catch {
    return false;
  }
}

/** Tests install programs there, which fails if the file system was mounted with `noexec`. */
function runsPrograms() {
  const folder = mkdtempSync(join(memory, 'ledger-ops-'));
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(folder, { recursive: true });
  return status === 0;
}
