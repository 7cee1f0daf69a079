import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import type pg from 'pg';
import { StoreError } from '../errors.ts';

/** One server of a replicated database. */
export interface Host {
  /** Name of the server in messages: `host:port`. */
  readonly name: string;
  /** Options with which `pg` connects to the server: role, password and database. */
  readonly config: pg.ClientConfig;
}

export interface DatabaseUrl {
  readonly hosts: readonly Host[];
  /** Name of the database in messages: `host:port/database`, without role and password. */
  readonly where: string;
  /** Time limit for opening a connection, in milliseconds. If undefined, the default applies. */
  readonly connectTimeout: number | undefined;
}

/**
 * Parses a database URL in one of libpq's forms. It can name several hosts or a Unix socket
 * (`postgres:///db?host=/run/postgresql`, `postgres://%2Frun%2Fpostgresql/db`), and contain host, port, role, password
 * and database as parameters. A parameter that would have no effect is refused.
 *
 * @throws StoreError `misuse`; its message contains no value that may be a password
 */
export function readDatabaseUrl(url: string): DatabaseUrl {
  const { scheme, authority, path, query } =
    /^(?<scheme>[a-z]+):\/\/(?<authority>[^/?#]*)(?<path>\/[^?#]*)?(?:\?(?<query>[^#]*))?$/i.exec(url)
      ?.groups ?? {};
  if (scheme === undefined || authority === undefined) throw notUrl();
  // Text before an @ in the path or in a parameter's name may be the end of a password, so the error must not contain
  // it.
  if (/^[^?]*@|[?&][^=&]*@/.test(`${path ?? ''}?${query ?? ''}`)) throw notUrl();
  if (!/^postgres(ql)?$/i.test(scheme)) {
    throw misuse(`The database URL has the scheme ${scheme}://, but only postgres:// is supported.`);
  }
  const parameters = readParameters(query ?? '');
  const at = authority.lastIndexOf('@');
  const [user = '', ...password] = authority.slice(0, Math.max(at, 0)).split(':');
  const database = parameters.dbname ?? decode(path?.slice(1) ?? '');
  const common = {
    ...given('user', parameters.user ?? decode(user)),
    ...given('password', parameters.password ?? decode(password.join(':'))),
    ...given('database', database),
    ...sessionOf(parameters),
  };
  const tls = tlsOf(parameters);
  const hosts = addresses(authority.slice(at + 1), parameters).map(({ name, host, port }) => ({
    name,
    // Connections over a Unix socket do not use TLS, as in libpq.
    config: {
      ...common,
      host,
      ...(port === undefined ? {} : { port }),
      ...(host.startsWith('/') ? { ssl: false } : tls),
    },
  }));
  return {
    hosts,
    where: `${hosts.map(({ name }) => name).join(',')}${database === '' ? '' : `/${database}`}`,
    connectTimeout: timeoutOf(parameters),
  };
}

const names = [
  ...[
    'host',
    'port',
    'user',
    'password',
    'dbname',
    'target_session_attrs',
    'connect_timeout',
    'application_name',
  ],
  ...[
    'fallback_application_name',
    'client_encoding',
    'options',
    'sslmode',
    'sslrootcert',
    'sslcert',
    'sslkey',
  ],
  ...['sslnegotiation', 'channel_binding', 'gssencmode'],
] as const;
type Parameters = Partial<Record<(typeof names)[number], string>>;

const isName = (name: string): name is (typeof names)[number] => names.some((known) => known === name);

/** What to use instead of parameters of libpq that are not supported. */
const instead: Readonly<Record<string, string>> = {
  passfile: 'Set the environment variable PGPASSFILE, or put the password into the URL.',
  service: 'Write its parameters into the URL.',
  hostaddr: 'Use host.',
  ssl: 'Use sslmode.',
};

function readParameters(query: string): Parameters {
  const parameters: Parameters = {};
  for (const [name, value] of query === '' ? [] : query.split('&').map(pairOf)) {
    if (!isName(name)) {
      if (value.includes('@')) throw notUrl();
      const hint = instead[name] ?? `The supported parameters are ${names.join(', ')}.`;
      throw misuse(`The parameter ${name.slice(0, 50)} of the database URL is not supported. ${hint}`);
    }
    parameters[name] = value;
  }
  demandValue(
    parameters,
    'target_session_attrs',
    ['any', 'read-write', 'primary'],
    'The service always uses the server that accepts writes.',
  );
  demandValue(
    parameters,
    'sslmode',
    sslModes,
    'All values except disable and no-verify verify the certificate like verify-full.',
  );
  demandValue(parameters, 'sslnegotiation', ['postgres', 'direct'], '');
  demandValue(parameters, 'channel_binding', ['disable', 'prefer'], 'Channel binding is never used.');
  demandValue(parameters, 'gssencmode', ['disable', 'prefer'], 'GSSAPI is never used.');
  return parameters;
}

/**
 * Name and value of a parameter. As in libpq, a `+` is not a space. Only in `options`, it is: options contain
 * spaces, which `URLSearchParams` encodes as `+`, but no plus signs.
 */
function pairOf(parameter: string): [name: string, value: string] {
  const [name = '', ...parts] = parameter.split('=');
  const value = parts.join('=');
  return [decode(name), decode(name === 'options' ? value.replaceAll('+', ' ') : value)];
}

const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

function demandValue(
  parameters: Parameters,
  name: (typeof names)[number],
  values: readonly string[],
  why: string,
): void {
  const value = parameters[name];
  if (value === undefined || values.includes(value)) return;
  throw misuse(
    `The parameter ${name} of the database URL must be one of ${values.join(', ')}. ${why}`.trim(),
  );
}

function timeoutOf({ connect_timeout: seconds }: Parameters): number | undefined {
  if (seconds === undefined) return undefined;
  if (/^[1-9]\d{0,2}$/.test(seconds)) return Number(seconds) * 1_000;
  throw misuse(
    'The parameter connect_timeout of the database URL must be a number of seconds from 1 to 999.',
  );
}

function sessionOf(parameters: Parameters): pg.ClientConfig {
  const { application_name, fallback_application_name, client_encoding, options } = parameters;
  return {
    ...given('application_name', application_name),
    ...given('fallback_application_name', fallback_application_name),
    ...given('client_encoding', client_encoding),
    ...given('options', options),
  };
}

/** @returns the TLS settings; an empty object if `PGSSLMODE` decides */
function tlsOf({ sslmode, sslrootcert, sslcert, sslkey, sslnegotiation }: Parameters): pg.ClientConfig {
  if (sslmode === 'disable') return { ssl: false };
  const files = {
    ...(sslrootcert === undefined || sslrootcert === 'system'
      ? {}
      : { ca: readFile('sslrootcert', sslrootcert) }),
    ...(sslcert === undefined ? {} : { cert: readFile('sslcert', sslcert) }),
    ...(sslkey === undefined ? {} : { key: readFile('sslkey', sslkey) }),
  };
  if (
    sslmode === undefined &&
    sslrootcert === undefined &&
    sslcert === undefined &&
    sslnegotiation !== 'direct'
  )
    return {};
  return {
    ssl: { ...files, ...(sslmode === 'no-verify' ? { rejectUnauthorized: false } : {}) },
    ...(sslnegotiation === 'direct' ? { sslnegotiation } : {}),
  };
}

function readFile(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw misuse(`The parameter ${name} of the database URL: ${path} cannot be read (${code}).`);
  }
}

interface Address {
  readonly name: string;
  /** Host name or address, or the path of a Unix socket's folder. */
  readonly host: string;
  readonly port: number | undefined;
}

/** Returns the hosts and ports that the parameters name or, if they name none, those of the authority. */
function addresses(authority: string, { host, port }: Parameters): Address[] {
  const written = host?.split(',').map((one) => (isIPv6(one) ? `[${one}]` : encodeURIComponent(one)));
  const hosts = written ?? (authority === '' ? [process.env.PGHOST ?? 'localhost'] : authority.split(','));
  const ports = port?.split(',');
  if (ports !== undefined && ports.length > 1 && ports.length !== hosts.length) {
    throw misuse('The database URL must have one port, or as many ports as hosts.');
  }
  return hosts.map((one, index) => addressOf(one, ports?.[index] ?? ports?.[0]));
}

function addressOf(text: string, given: string | undefined): Address {
  const [, encoded = '', own] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(text) ?? [];
  const port = given ?? own;
  const number = port === undefined || port === '' ? undefined : Number(port);
  const isPort = number === undefined || (Number.isInteger(number) && number > 0 && number < 65_536);
  const host = decode(encoded);
  const isHost = host.startsWith('/') || URL.canParse(`postgres://${host}`);
  if (host === '' || !isHost || !isPort) throw notUrl();
  const name = number === undefined ? host : `${host}:${number}`;
  return { name, host: host.replace(/^\[(.*)\]$/, '$1'), port: number };
}

function given<const Name extends string>(name: Name, value: string | undefined): { [Key in Name]?: string } {
  // The object has only the member that its type requires.
  return (value === undefined || value === '' ? {} : { [name]: value }) as { [Key in Name]?: string };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw notUrl();
  }
}

function misuse(message: string): StoreError {
  return new StoreError('misuse', message);
}

function notUrl(): StoreError {
  return misuse(
    'The database URL is not a valid URL. It must have the form postgres://user:password@host:port/database; several hosts are separated by commas. In role and password, percent-encode special characters: @ is %40, / is %2F, ? is %3F, # is %23, % is %25.',
  );
}
