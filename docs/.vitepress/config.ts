import { defineConfig } from 'vitepress';
import { services } from '../../apps/server/src/http/services.ts';
import { checkAnchors } from './anchors.ts';
import { linkNames, linkRepository } from './links.ts';
import { collectPages, folder, pages } from './pages.ts';

collectPages();

const places = new Set(pages.values());

/** @throws Error for a page that there is not: only links within pages are checked by the build. */
function entry(text: string, link: string) {
  const place = `${link.slice(1).replace(/#.*$/, '')}.md`;
  if (!places.has(place)) throw new Error(`The contents name ${link}, which is no page.`);
  return { text, link };
}

const use = [
  entry('Getting started', '/guide/getting-started'),
  entry('Tokens', '/guide/tokens'),
  entry('First send', '/guide/first-send'),
  entry('Errors', '/guide/errors'),
  entry('Pages', '/guide/pages'),
  entry('Sending again', '/guide/idempotency'),
  entry('Events', '/events'),
  entry('Three ledgers at once', '/examples/three-ledgers'),
  entry('From a program', '/packages/client'),
  entry('From a shell', '/cli'),
  entry('GLO in your own software', '/packages/glo-core'),
  entry('From deprecated operations', '/migration'),
];
const extend = [
  entry('From nothing to SUCCEEDED', '/plugins'),
  entry('A package to begin with', '/packages/create-plugin'),
  entry('The contract', '/packages/adapter'),
  entry('The contract, each type', '/reference/adapter/modules'),
  entry('Remote plugins', '/packages/cloud-wallet'),
  entry('The conformance kit', '/packages/adapter-kit'),
  entry('Trying it on a server', '/development'),
];
const deploy = [
  entry('The server and its settings', '/server'),
  entry('A new installation', '/new-installation'),
  entry('Images and manifests', '/deploy'),
  entry('Sizing', '/sizing'),
  entry('An existing Fabric network', '/fabric'),
  entry('Ethereum', '/packages/plugin-ethereum'),
  entry('Hyperledger Fabric', '/packages/plugin-fabric'),
  entry('Solana', '/packages/plugin-solana'),
];
const operate = [
  entry('The console', '/console'),
  entry('Upgrade, backup, keys', '/operations'),
  entry('Incidents', '/incidents'),
  entry('Metrics and alerts', '/metrics'),
  entry('Traces', '/traces'),
];
const operations = Object.entries(services).map(([name, { title }]) => ({
  isOld: title.endsWith(' (deprecated)'),
  ...entry(title.replace(' (deprecated)', ''), `/http/${name}`),
}));
const reference = [
  entry('HTTP, each operation', '/http'),
  entry('Operations and permissions', '/permissions'),
  entry('Problem types', '/problems'),
  entry('Settings', '/server#configuration'),
  entry('Glossary', '/glossary'),
];
const understand = [
  entry('How exactly once works', '/exactly-once'),
  entry('Architecture', '/architecture'),
  entry('Security model', '/security'),
  entry('Security checklist', '/security-checklist'),
  entry('Beside other software', '/comparison'),
  entry('Decisions', '/decisions'),
  entry('Benches', '/benches'),
  entry('The command line, inside', '/cli-package'),
  entry('The console, inside', '/console-package'),
  entry('Changing the code', '/contributing'),
];

export default defineConfig({
  title: 'Ledger Operations',
  description: 'Operations on several ledgers over one HTTP interface: accepted once, executed once.',
  lang: 'en',
  srcDir: folder,
  outDir: 'dist',
  cacheDir: 'node_modules/.vitepress',
  cleanUrls: true,
  buildEnd: ({ outDir }) => checkAnchors(outDir),
  markdown: {
    // The others have too little contrast on the ground of code.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(md) {
      linkRepository(md);
      linkNames(md);
    },
    html: false,
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      entry('Use', '/guide/getting-started'),
      entry('Extend', '/plugins'),
      entry('Deploy', '/server'),
      entry('Operate', '/operations'),
      entry('HTTP', '/http'),
    ],
    sidebar: {
      '/http': [
        {
          text: 'HTTP',
          items: [entry('All operations', '/http'), ...operations.filter(({ isOld }) => !isOld)],
        },
        { text: 'Deprecated', items: operations.filter(({ isOld }) => isOld) },
        { text: 'Reference', items: reference },
      ],
      '/': [
        { text: 'Use it', items: use },
        { text: 'Write a plugin', items: extend },
        { text: 'Deploy it', items: deploy },
        { text: 'Operate it', items: operate },
        { text: 'Reference', items: reference },
        { text: 'Understand it', items: understand },
      ],
    },
  },
});
