import { defineConfig } from 'vitepress';
import { checkAnchors } from './anchors.ts';
import { linkNames, linkRepository } from './links.ts';
import { collectPages, folder, pages } from './pages.ts';

collectPages();

const places = new Set(pages.values());

/** @throws Error for a missing page: the build checks only links within pages, not the navigation. */
function entry(text: string, link: string) {
  const place = `${link.slice(1).replace(/#.*$/, '')}.md`;
  if (!places.has(place)) throw new Error(`The navigation links to ${link}, which does not exist.`);
  return { text, link };
}

const begin = [
  entry('Concepts', '/concepts'),
  entry('Getting started', '/guide/getting-started'),
  entry('Tokens', '/guide/tokens'),
  entry('First send', '/guide/first-send'),
];
const tutorials = [
  entry('From a contract to a dashboard', '/tutorials/token'),
  entry('A workflow on two ledgers', '/tutorials/workflow'),
  entry('Events in your database', '/tutorials/webhooks'),
  entry('A plugin', '/tutorials/plugin'),
  entry('A plugin in Go', '/tutorials/go'),
  entry('Alerts with Prometheus', '/tutorials/prometheus'),
  entry('Two servers on PostgreSQL', '/tutorials/postgresql'),
];
const use = [
  entry('Errors', '/guide/errors'),
  entry('Pages', '/guide/pages'),
  entry('Repeating requests', '/guide/idempotency'),
  entry('Events', '/events'),
  entry('From a program', '/packages/client'),
  entry('From a shell', '/cli'),
  entry('GLO in your own software', '/packages/glo-core'),
  entry('From deprecated operations', '/migration'),
];
const extend = [
  entry('Write a plugin', '/plugins'),
  entry('Create a package', '/packages/create-plugin'),
  entry('The contract', '/packages/adapter'),
  entry('The contract, each type', '/reference/adapter/modules'),
  entry('Remote plugins', '/packages/cloud-wallet'),
  entry('The conformance kit', '/packages/adapter-kit'),
  entry('Try it on a server', '/development'),
];
const deploy = [
  entry('The server and its settings', '/server'),
  entry('A new installation', '/new-installation'),
  entry('Images and manifests', '/deploy'),
  entry('Sizing', '/sizing'),
  entry('Networks', '/networks'),
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
/** The server's pages at /docs, which VitePress does not build. */
const operations = { text: 'HTTP, each operation', link: '/docs/', target: '_self' };
const reference = [
  entry('HTTP', '/http'),
  operations,
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
  entry('Comparison', '/comparison'),
  entry('Decisions', '/decisions'),
  entry('Benchmarks', '/benches'),
  entry('Code of the command line', '/cli-package'),
  entry('Code of the console', '/console-package'),
  entry('Changing the code', '/contributing'),
];

export default defineConfig({
  title: 'Ledger Operations',
  description: 'Operations on several ledgers over one HTTP interface: accepted once, executed once.',
  lang: 'en',
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: '/mark.svg' }],
    ['meta', { name: 'theme-color', content: '#0b3328' }],
    ['meta', { property: 'og:type', content: 'website' }],
    ['meta', { property: 'og:site_name', content: 'Ledger Operations' }],
    ['meta', { property: 'og:title', content: 'Ledger Operations' }],
    ['meta', { property: 'og:image', content: '/social-card.png' }],
    ['meta', { name: 'twitter:card', content: 'summary_large_image' }],
  ],
  srcDir: folder,
  srcExclude: ['tables/**'],
  outDir: 'dist',
  cacheDir: 'node_modules/.vitepress',
  cleanUrls: true,
  buildEnd: ({ outDir }) => checkAnchors(outDir),
  markdown: {
    // The default themes have too little contrast on the background of code.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(md) {
      linkRepository(md);
      linkNames(md);
    },
    html: false,
  },
  themeConfig: {
    logo: '/mark.svg',
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      entry('Use', '/concepts'),
      entry('Extend', '/plugins'),
      entry('Deploy', '/server'),
      entry('Operate', '/operations'),
      operations,
    ],
    sidebar: {
      '/': [
        { text: 'Begin', items: begin },
        { text: 'Tutorials', items: tutorials },
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
