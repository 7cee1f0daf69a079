import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
/** Minimum free space in bytes: several times the amount that a run writes. */
const minimumFreeBytes = 4 * 2 ** 30;

/**
 * A new folder for the files of a test run. It is in memory if there is enough space, so that commits of
 * databases do not wait for a disk. Files survive a killed process in both cases.
 */
export function makeFastFolder() {
  const folder = mkdtempSync(join(hasRoom() ? memory : tmpdir(), 'ledger-ops-run-'));
  // PostgreSQL runs as another user when the tests run as root.
  chmodSync(folder, 0o1777);
  return folder;
}

function hasRoom() {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= minimumFreeBytes && runsPrograms();
  } catch {
    return false;
  }
}

/** Tests install programs, but the file system may be mounted without permission to execute files. */
function runsPrograms() {
  const folder = mkdtempSync(join(memory, 'ledger-ops-'));
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(folder, { recursive: true });
  return status === 0;
}
