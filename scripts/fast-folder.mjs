import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
/** Bytes: several times what a run writes. */
const room = 4 * 2 ** 30;

/**
 * A new folder for the files of a test run: in memory where there is room, since databases in it then commit without
 * waiting for a disk. What survives a killed process is the same.
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
    return bavail * bsize >= room && runsPrograms();
  } catch {
    return false;
  }
}

/** It may be mounted so that nothing in it can be run, and tests install programs. */
function runsPrograms() {
  const folder = mkdtempSync(join(memory, 'ledger-ops-'));
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(folder, { recursive: true });
  return status === 0;
}
