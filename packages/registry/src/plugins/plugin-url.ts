import { existsSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { invalidRequest } from '@ledger-ops/base';
import semver from 'semver';

/** Plugins that the deployer allows. An empty list allows none of that kind. */
export interface PluginAllowList {
  /** Names of packages that `npm:` URLs may name, exactly. */
  modules: readonly string[];
  /** Absolute paths of the folders that contain `file:` plugins, at any depth. */
  folders: readonly string[];
  /**
   * Hosts of remote plugins: `plugins.example` (https, port 443), `plugins.example:8443` (https), or
   * `http://127.0.0.1:9000`. Only the last form allows plain HTTP.
   */
  hosts: readonly string[];
}

/** A plugin URL that the allow-list permits. */
export type PluginLocation =
  | { kind: 'npm'; url: string; package: string; range: string | null }
  /**
   * `path` has its symbolic links resolved. `folder` is the module's package folder: the nearest one with a package.json
   * within the allowed folder, otherwise the folder that contains the module. `allowed` is the allowed folder.
   */
  | { kind: 'file'; url: string; path: string; folder: string; allowed: string }
  | { kind: 'remote'; url: string };

/** Parses and checks plugin URLs. Reads the file system for `file:`, but never uses the network. */
export interface PluginUrls {
  /**
   * Call it when a record is written and again when the module is loaded, because links may have changed. The returned
   * `url` is normalized: store and use it.
   *
   * @throws Problem `invalid-request`
   */
  locate(url: string, pointer: string): Promise<PluginLocation>;
}

const packageName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const maxLength = 2_048;
const forms = 'must be npm:<package>[@range], file:<absolute path> or http(s)://…';

/**
 * Creates the check of URLs.
 * @param closed returns why a module's file and folder must not be used (they contain the server's secrets), or
 * undefined
 * @throws TypeError if the allow-list itself is malformed
 */
export function createPluginUrls(
  allowed: PluginAllowList,
  closed: (file: string, folder: string) => string | undefined = () => undefined,
): PluginUrls {
  const modules = new Set(allowed.modules);
  for (const name of modules) {
    if (!isPackageName(name)) throw new TypeError(`Allowed plugin modules: "${name}" is not a package name.`);
  }
  for (const folder of allowed.folders) {
    if (!isAbsolute(folder))
      throw new TypeError(`Allowed plugin folders: "${folder}" is not an absolute path.`);
  }
  const origins = new Set(allowed.hosts.map(originOf));

  return {
    async locate(url, pointer) {
      const refuse = (detail: string) => invalidRequest([{ pointer, detail }]);
      // URL parsers remove or convert these characters, so the checked URL would differ from the one used later.
      // A plain path is not parsed as a URL, so it may contain spaces.
      const parsed = /^file:\/(?!\/)/.test(url) ? url.replaceAll(' ', '') : url;
      if (url.length > maxLength || /[\p{Cc}\s\\]/u.test(parsed)) {
        throw refuse(`${forms}, without spaces, control characters or backslashes`);
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
  if (!isPackageName(name)) throw refuse('must name a package: npm:<package>[@range]');
  if (range !== null && (range === '' || semver.validRange(range) === null)) {
    throw refuse('must have a version range after the @');
  }
  if (!modules.has(name)) {
    throw refuse(
      `the package ${name} is not allowed on this server; its deployer can add npm:${name} to PLUGINS_ALLOWED`,
    );
  }
  return { kind: 'npm', url, package: name, range };
}

async function locateFile(
  url: string,
  folders: readonly string[],
  refuse: Refuse,
): Promise<PluginLocation & { kind: 'file' }> {
  const outside = refuse(
    'must name the built file that exports the adapter, not its folder, in a folder that this server allows; its deployer can add the folder to PLUGINS_ALLOWED',
  );
  const path = filePath(url);
  if (path === null) throw refuse('must be file: followed by an absolute path, without a host');
  // The path is checked before the file system is read, so that errors do not reveal which other files exist.
  if (path.includes('\0') || normalize(path) !== path) throw outside;
  if (!folders.some((folder) => isBelow(normalize(folder), path))) throw outside;
  try {
    const real = await realpath(path);
    const roots = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)));
    const root = roots.filter((one) => one !== null).find((one) => isBelow(one, real));
    if (root !== undefined && (await stat(real)).isFile()) {
      return { kind: 'file', url: urlOf(path), path: real, folder: ownFolder(real, root), allowed: root };
    }
  } catch {
    throw outside;
  }
  throw outside;
}

/** Returns the package folder of a module. A package.json above the allowed folder is ignored. */
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
  // The URL parser would resolve dot segments, plain and encoded ones, so reject them before parsing.
  if (/(^|\/)(\.|%2e){1,2}(\/|$)/i.test(text.slice(2)) || /[?#]/.test(text)) return null;
  try {
    return fileURLToPath(url);
  } catch {
    return null;
  }
}

/** Returns the URL of a path, which is located again when the module is loaded. */
const urlOf = (path: string) => (/[\s\\]/.test(path) ? pathToFileURL(path).href : `file:${path}`);

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function locateRemote(url: string, origins: ReadonlySet<string>, refuse: Refuse): PluginLocation {
  if (!URL.canParse(url)) throw refuse('must be a URL');
  const parsed = new URL(url);
  if (parsed.username !== '' || parsed.password !== '' || /^https?:\/\/[^/?#]*@/i.test(url)) {
    throw refuse('must not contain a user name or password');
  }
  if (parsed.search !== '' || parsed.hash !== '' || /[?#]/.test(url)) {
    throw refuse('must not have a query or fragment, because paths are appended to it');
  }
  if (parsed.hostname.endsWith('.')) throw refuse('must not have a dot at the end of the host');
  // The parser has normalized the host: lowercase, punycode, complete IP addresses.
  if (!origins.has(parsed.origin)) {
    throw refuse(
      `${parsed.origin} is not allowed on this server; its deployer can add it to PLUGINS_ALLOWED${
        parsed.protocol === 'http:' ? ', and plain http requires an entry that starts with http://' : ''
      }`,
    );
  }
  return { kind: 'remote', url: parsed.href.replace(/\/+$/, '') };
}

function originOf(host: string): string {
  const text = /^https?:\/\//.test(host) ? host : `https://${host}`;
  const malformed = new TypeError(
    `Allowed plugin hosts: "${host}" is not a host. Write host, host:port or http://host:port.`,
  );
  if (/[\p{Cc}\s\\@?#*]/u.test(text) || !URL.canParse(text)) throw malformed;
  const parsed = new URL(text);
  if (parsed.pathname !== '/' || parsed.hostname.endsWith('.')) throw malformed;
  return parsed.origin;
}

function isPackageName(name: string): boolean {
  return name.length <= 214 && packageName.test(name) && !name.split('/').some((part) => /^\.+$/.test(part));
}
