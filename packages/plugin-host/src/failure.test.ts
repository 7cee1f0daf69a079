import { expect, test } from 'vitest';
import { failureName, failureOf, failureWords } from './failure.ts';

test('reports the name, code and location of a failure, but not its message', () => {
  const failure = failureOf(Object.assign(new RangeError('the content of a file'), { code: 'ERR_ODD' }));
  expect(failureWords(failure)).toMatch(
    /^RangeError \(ERR_ODD\) at plugin-host\/src\/failure\.test\.ts:\d+:\d+$/,
  );
  expect(failureName(failure)).toBe('RangeError (ERR_ODD)');
});

test('does not report members of an error that were forged to contain data', () => {
  const secret = 'the content of a file: 123';
  const error = Object.assign(new Error(`x\n    at ${secret} (file:///a/secret.js:1:1)`), {
    name: secret,
    code: secret,
  });
  expect(JSON.stringify(failureOf(error))).not.toMatch(/content|secret/);
  error.stack = `x\n    at f (file:///${secret}:1:1)`;
  expect(failureOf(error)).toEqual({ name: 'Error' });
  expect(failureOf(secret)).toEqual({ name: 'value' });
  const throwing = Object.defineProperty(new Error('x'), 'stack', {
    get: () => {
      throw new Error(secret);
    },
  });
  expect(failureOf(throwing)).toEqual({ name: 'Error' });
});

test('the failure report names a package that Node did not find, but only if the name is a valid package name', () => {
  const missing = (message: string) =>
    failureName(failureOf(Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' })));
  expect(missing("Cannot find package '@acme/tool' imported from /a/b.js")).toBe(
    'Error (ERR_MODULE_NOT_FOUND), the package @acme/tool is not installed',
  );
  expect(missing("Cannot find module '/srv/data/x.js' imported from /a/b.js")).toBe(
    'Error (ERR_MODULE_NOT_FOUND)',
  );
});

test('the failure report names a denied path and the setting that allows access, but only if the value is a path', () => {
  const denied = (resource: string) =>
    failureWords(
      failureOf(
        Object.assign(new Error('x'), { code: 'ERR_ACCESS_DENIED', permission: 'FileSystemRead', resource }),
      ),
    );
  expect(denied('/srv/data/x.json')).toMatch(
    /^Error \(ERR_ACCESS_DENIED\) at .*; Node’s permission model denies FileSystemRead \/srv\/data\/x\.json\. .*PLUGINS_TRUSTED/,
  );
  expect(denied('/srv/the content of a file')).not.toContain('content');
});
