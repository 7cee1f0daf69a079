import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { findPostgresObstacle } from './postgres-user.ts';

const folder = mkdtempSync(join(tmpdir(), 'ledger-ops-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(process.getuid?.() !== 0)('PostgreSQL started by root', () => {
  test('the error names the folder that PostgreSQL’s user may not enter, and suggests a remedy', () => {
    chmodSync(folder, 0o700);
    expect(findPostgresObstacle([join(folder, 'postgres')])).toBe(
      `PostgreSQL does not run as root, and its user may not enter ${folder}. Run "chmod o+x ${folder}", use another folder, or run the tests as another user.`,
    );
  });

  test('accepts a folder that PostgreSQL’s user may enter', () => {
    chmodSync(folder, 0o711);
    expect(findPostgresObstacle([join(folder, 'postgres')])).toBeUndefined();
  });
});
