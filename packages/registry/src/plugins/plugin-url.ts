import { existsSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { invalidRequest } from '@ledger-ops/base';
import semver from 'semver';

/** The plugins that the deployer allows. Empty lists: nothing of that kind. */
export interface PluginAllowList {
  /** Names of packages that `npm:` URLs may name, exactly. */
  modules: readonly string[];
  /** Absolute paths of the folders that `file:` URLs may lie in, at any depth. */
  folders: readonly string[];
  /**
   * Hosts that remote plugins may run on: `plugins.example` (https, its own port), `plugins.example:8443` (https),
   * or `http://127.0.0.1:9000`, the one way to allow plain HTTP.
   */
  hosts: readonly string[];
}

/** A URL of a plugin that the allow-list admits. */
export type PluginLocation =
  | { kind: 'npm'; url: string; package: string; range: string | null }
  /**
   * `path` has no links in it any more. `folder` is the module's own: the nearest one upwards with a package.json within
   * the folder that is allowed, else the one that the module lies in. `allowed` is the folder that the deployer allows.
   */
  | { kind: 'file'; url: string; path: string; folder: string; allowed: string }
  | { kind: 'remote'; url: string };

/** Reads and checks URLs of plugins. Looks at the file system for `file:`, never at the network. */
export interface PluginUrls {
  /**
   * To be asked when a record is written, and again when the module is loaded: links may have changed.
   * `url` of the answer is the one form in which it is to be stored and used.
   *
   * @throws Problem `invalid-request`
   */
  locate(url: string, pointer: string): Promise<PluginLocation>;
}

const packageName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const maxLength = 2_048;
const forms = 'must be npm:<package>[@range], file:<absolute path> or http(s)://…';

/**
 * Makes the check of URLs.
 * @param closed says what is wrong with the place of a module, by the module's file and its own folder: it is where the
 *   server's secrets are.
 * @throws TypeError when the allow-list itself is malformed
 */
export function createPluginUrls(
  allowed: PluginAllowList,
  closed: (file: string, folder: string) => string | undefined = () => undefined,
): PluginUrls {
  const modules = new Set(allowed.modules);
  for (const name of modules) {
    if (!isPackageName(name)) throw new TypeError(`Plugin modules: "${name}" is no name of a package.`);
  }
  for (const folder of allowed.folders) {
    if (!isAbsolute(folder)) throw new TypeError(`Plugin folders: "${folder}" is no absolute path.`);
  }
  const origins = new Set(allowed.hosts.map(originOf));

  return {
    async locate(url, pointer) {
      const refuse = (detail: string) => invalidRequest([{ pointer, detail }]);
      // URL parsers drop or turn these: what is read here would not be what is used later.
      if (url.length > maxLength || /[\p{Cc}\s\\]/u.test(url)) {
        throw refuse(`${forms}, without spaces, control characters and backslashes`);
      }
      if (url.startsWith('npm:')) return locatePackage(url, modules, refuse);
      if (url.startsWith('file:')) {
        const location = await locateFile(url, allowed.folders, refuse);
        const why = closed(location.path, location.folder);
        if (why !== undefined) throw refuse(why);
        return location;
      }
      if (/^https?:\/\//i.test(url)) return locateRemote(url, origins, refuse);
      throw refuse(forms);
    },
  };
}

type Refuse = (detail: string) => Error;

function locatePackage(url: string, modules: ReadonlySet<string>, refuse: Refuse): PluginLocation {
  const text = url.slice('npm:'.length);
  const at = text.indexOf('@', 1);
  const [name, range] = at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
  if (!isPackageName(name)) throw refuse('names no package: npm:<package>[@range]');
  if (range !== null && (range === '' || semver.validRange(range) === null)) {
    throw refuse('has no range of versions behind the @');
  }
  if (!modules.has(name)) {
    throw refuse(
      `the package ${name} is not on the list of plugin modules that the deployer allows (PLUGINS_ALLOWED, as npm:${name})`,
    );
  }
  return { kind: 'npm', url, package: name, range };
}

async function locateFile(
  url: string,
  folders: readonly string[],
  refuse: Refuse,
): Promise<PluginLocation & { kind: 'file' }> {
  const outside = refuse('is no file in a folder that the deployer allows for plugins (PLUGINS_ALLOWED)');
  const path = filePath(url);
  if (path === null) throw refuse('must be file: and an absolute path, without a host');
  // Before the file system is asked, so that nobody learns what exists elsewhere.
  if (path.includes('\0') || normalize(path) !== path) throw outside;
  if (!folders.some((folder) => isBelow(normalize(folder), path))) throw outside;
  try {
    const real = await realpath(path);
    const roots = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)));
    const root = roots.filter((one) => one !== null).find((one) => isBelow(one, real));
    if (root !== undefined && (await stat(real)).isFile()) {
      return { kind: 'file', url: `file:${path}`, path: real, folder: ownFolder(real, root), allowed: root };
    }
  } catch {
    throw outside;
  }
  throw outside;
}

/** The folder of a module; a package.json above the folder that is allowed opens nothing. */
function ownFolder(file: string, root: string): string {
  for (let folder = dirname(file); isBelow(root, folder) || folder === root; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
  }
  return dirname(file);
}

function filePath(url: string): string | null {
  const text = url.slice('file:'.length);
  if (!text.startsWith('//')) return isAbsolute(text) ? text : null;
  if (!text.startsWith('///')) return null;
  // The parser would resolve dot segments away, plain and encoded ones.
  if (/(^|\/)(\.|%2e){1,2}(\/|$)/i.test(text.slice(2)) || /[?#]/.test(text)) return null;
  try {
    return fileURLToPath(url);
  } catch {
    return null;
  }
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function locateRemote(url: string, origins: ReadonlySet<string>, refuse: Refuse): PluginLocation {
  if (!URL.canParse(url)) throw refuse('is no URL');
  const parsed = new URL(url);
  if (parsed.username !== '' || parsed.password !== '' || /^https?:\/\/[^/?#]*@/i.test(url)) {
    throw refuse('must not hold a user name or password');
  }
  if (parsed.search !== '' || parsed.hash !== '' || /[?#]/.test(url)) {
    throw refuse('must not have a query or fragment: paths are put behind it');
  }
  if (parsed.hostname.endsWith('.')) throw refuse('write the host without the dot at its end');
  // The parser has written the host in its one form: lower case, punycode, IP addresses in full.
  if (!origins.has(parsed.origin)) {
    throw refuse(
      `${parsed.origin} is not on the list of plugin hosts that the deployer allows (PLUGINS_ALLOWED)${
        parsed.protocol === 'http:' ? ', and plain http only where the list says http://' : ''
      }`,
    );
  }
  return { kind: 'remote', url: parsed.href.replace(/\/+$/, '') };
}

function originOf(host: string): string {
  const text = /^https?:\/\//.test(host) ? host : `https://${host}`;
  const malformed = new TypeError(
    `Plugin hosts: "${host}" is no host; write host, host:port or http://host:port.`,
  );
  if (/[\p{Cc}\s\\@?#*]/u.test(text) || !URL.canParse(text)) throw malformed;
  const parsed = new URL(text);
  if (parsed.pathname !== '/' || parsed.hostname.endsWith('.')) throw malformed;
  return parsed.origin;
}

function isPackageName(name: string): boolean {
  return name.length <= 214 && packageName.test(name) && !name.split('/').some((part) => /^\.+$/.test(part));
}
