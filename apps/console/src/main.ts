import './styles.css';
import { askPerson } from './api/person.ts';
import { loadAhead } from './app/pages.ts';
import { applyTheme } from './lib/theme.ts';
import { isMailLink, readMailLink } from './session/mail-link.ts';
import { chosenProject } from './session/project.ts';
import { isCallback, isOutside, resume, returnOnce, signIn } from './session/session.ts';

applyTheme();
readMailLink();
// A link of a mail may be opened in a tab that is here already: the browser changes no more than the fragment then.
addEventListener('hashchange', () => {
  if (isMailLink()) location.reload();
});
if (isOutside(location.pathname)) {
  if (isCallback(location.pathname)) {
    // The exchange of the code takes as long as the pages take to load.
    const { address, finished } = returnOnce();
    loadAhead(address ?? '/console/');
    finished.then(askPerson).catch(() => {});
  }
  void show();
} else if (chosenProject() === undefined) {
  signIn(location.pathname + location.search).catch(show);
} else {
  // Somebody has worked here: most likely the browser has a session still. What the page says without data stands meanwhile.
  resume();
  askPerson();
  loadAhead(location.pathname + location.search);
  void show();
  warmUp();
}

/** How dates and numbers are written is read at the first of them: while the pages are on their way, and not as they are drawn. */
function warmUp(): void {
  setTimeout(() => new Date().toLocaleString());
  setTimeout(() => (0).toLocaleString());
}

async function show(): Promise<void> {
  const { mount } = await import('./app/mount.tsx');
  mount();
}
