import { existsSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import type MarkdownIt from 'markdown-it';
import { folder, pages, root } from './pages.ts';

/**
 * Links are relative to the repository. Rewrites links to pages to their addresses on the site. A link to another file
 * becomes plain text.
 * @throws Error for a link to a missing file
 */
export function linkRepository(md: MarkdownIt): void {
  md.core.ruler.push('repository-links', ({ tokens, env, Token }) => {
    const path: unknown = env.path;
    if (typeof path !== 'string') return;
    for (const { children } of tokens) {
      if (children === null) continue;
      let isOpen = false;
      for (const [index, token] of children.entries()) {
        if (token.type === 'link_close' && isOpen) {
          isOpen = false;
          children[index] = new Token('text', '', 0);
        }
        const target = token.type === 'link_open' ? token.attrGet('href') : null;
        if (target === null || /^(\w+:|#|\/)/.test(target)) continue;
        const place = placeOf(path, target);
        if (place === null) {
          isOpen = true;
          children[index] = new Token('text', '', 0);
        } else {
          token.attrSet('href', place);
        }
      }
    }
  });
}

/**
 * Turns names of packages and pages into links: `@ledger-ops/adapter`, `docs/problems.md`. READMEs name other packages
 * as text, because links between packages do not work on npm.
 */
export function linkNames(md: MarkdownIt): void {
  md.core.ruler.push('names-of-pages', ({ tokens, env, Token }) => {
    const path: unknown = env.path;
    if (typeof path !== 'string') return;
    for (const token of tokens) {
      if (token.children === null) continue;
      let depth = 0;
      token.children = token.children.flatMap((child) => {
        depth += child.type === 'link_open' ? 1 : child.type === 'link_close' ? -1 : 0;
        const place = child.type === 'code_inline' && depth === 0 ? placeOfName(child.content) : undefined;
        if (place === undefined || place === relative(folder, path)) return [child];
        const open = new Token('link_open', 'a', 1);
        open.attrSet('href', addressOf(place));
        return [open, child, new Token('link_close', 'a', -1)];
      });
    }
  });
}

function placeOfName(text: string): string | undefined {
  const [, name] = /^@ledger-ops\/([a-z-]+)$/.exec(text) ?? [];
  return name === undefined
    ? pages.get(text)
    : (pages.get(`packages/${name}/README.md`) ?? pages.get(`apps/${name}/README.md`));
}

const files = new Map([...pages].map(([file, place]) => [place, file]));

/** Address on the site; null for a file that is not a page. */
function placeOf(page: string, target: string): string | null {
  const written = files.get(relative(folder, page)) ?? '';
  const [path = '', anchor] = target.split('#');
  const file = resolve(root, dirname(written), decodeURIComponent(path));
  if (!existsSync(file)) throw new Error(`${written}: there is no ${target}`);
  const name = relative(root, file);
  const place = pages.get(name) ?? pages.get(`${name}/README.md`);
  if (place === undefined) return null;
  return `${addressOf(place)}${anchor === undefined ? '' : `#${anchor}`}`;
}

const addressOf = (place: string) => `/${place.replace(/(^|\/)index\.md$|\.md$/, '$1')}`;
