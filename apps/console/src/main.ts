import './styles.css';
import { askPerson } from './api/person.ts';
import { loadAhead } from './app/pages.ts';
import { applyTheme } from './lib/theme.ts';
import { isMailLink, readMailLink } from './session/mail-link.ts';
import { chosenProject } from './session/project.ts';
import { isCallback, isOutside, resume, returnOnce, signIn } from './session/session.ts';

applyTheme();
readMailLink();
// If a mail link is opened in a tab that already shows the console, the browser only changes the fragment.
addEventListener('hashchange', () => {
  if (isMailLink()) location.reload();
});
if (isOutside(location.pathname)) {
  if (isCallback(location.pathname)) {
    // The code is exchanged while the pages load, because both take about as long.
    const { address, finished } = returnOnce();
    loadAhead(address ?? '/console/');
    finished.then(askPerson).catch(() => {});
  }
  void show();
} else if (chosenProject() === undefined) {
  signIn(location.pathname + location.search).catch(show);
} else {
  // The user has signed in before, so the browser probably still has a session. Until that is known, only
  // static parts of the page are shown.
  resume();
  askPerson();
  loadAhead(location.pathname + location.search);
  void show();
  warmUp();
}

/**
 * Loads the locale data for dates and numbers while pages are loading, so that the first rendering does not wait for
 * it.
 */
function warmUp(): void {
  setTimeout(() => new Date().toLocaleString());
  setTimeout(() => (0).toLocaleString());
}

async function show(): Promise<void> {
  const { mount } = await import('./app/mount.tsx');
  mount();
}
