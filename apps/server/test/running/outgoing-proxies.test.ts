import { afterEach, expect, test } from 'vitest';
import { endAll, run } from '../../../../testing/children.ts';
import { ConfigError } from '../../src/settings/config-error.ts';
import { refuseOutgoingProxies } from '../../src/settings/outgoing-proxies.ts';

afterEach(endAll);

const proxy = 'http://user:S3CRET@proxy.example:3128';

test.each(['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'https_proxy', 'http_proxy', 'all_proxy'])(
  'the variable %s is refused unless NO_PROXY is *, and the error does not contain its value',
  (name) => {
    const refuse = (more: Record<string, string> = {}) => refuseOutgoingProxies({ [name]: proxy, ...more });
    expect(refuse).toThrow(ConfigError);
    expect(refuse).toThrow(new RegExp(`^${name} is set, but .*NO_PROXY=\\*`));
    expect(refuse).not.toThrow('S3CRET');
    expect(() => refuse({ NO_PROXY: 'localhost,.example' })).toThrow(ConfigError);
    refuse({ NO_PROXY: '*' });
    refuse({ no_proxy: '*' });
    refuseOutgoingProxies({ [name]: '' });
  },
);

test('a server with a proxy in its environment prints one line and exits with 2', async () => {
  const main = new URL('../../src/main.ts', import.meta.url);
  const { code, err } = run(main, { MASTER_KEY: Buffer.alloc(32, 3).toString('base64'), HTTPS_PROXY: proxy });
  expect(await code).toBe(2);
  expect(err()).toMatch(/^HTTPS_PROXY is set, but .*\n$/);
}, 60_000);
