// Script of the API reference: searches the table of contents, and sends the page's operation.

const contents = document.querySelector('#contents');
const find = document.querySelector<HTMLInputElement>('#find');
const found = document.querySelector('#found');

function show(words: readonly string[]): void {
  let count = 0;
  for (const item of contents?.querySelectorAll('li') ?? []) {
    const text =
      `${item.textContent} ${item.querySelector('[data-find]')?.getAttribute('data-find')}`.toLowerCase();
    item.hidden = !words.every((word) => text.includes(word));
    if (!item.hidden) count += 1;
  }
  for (const group of contents?.querySelectorAll('details') ?? []) {
    group.hidden = group.querySelector('li:not([hidden])') === null;
    if (words.length > 0) group.open = !group.hidden;
  }
  if (found !== null) found.textContent = words.length === 0 ? '' : `${count} found`;
}

if (find !== null) {
  find.closest('label')?.removeAttribute('hidden');
  find.addEventListener('input', () => show(find.value.toLowerCase().split(/\s+/).filter(Boolean)));
  document.addEventListener('keydown', (event) => {
    const isTyping =
      event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
    if (event.key !== '/' || isTyping) return;
    event.preventDefault();
    if (contents instanceof HTMLElement && find.offsetParent === null) contents.showPopover();
    find.focus();
  });
}
contents?.querySelector('[aria-current]')?.scrollIntoView({ block: 'center' });

const form = document.querySelector<HTMLFormElement>('#try');
if (form !== null) setUp(form);

function setUp(form: HTMLFormElement): void {
  const part = <T extends Element>(selector: string) => form.querySelector<T>(selector);
  const stop = part<HTMLButtonElement>('[data-stop]');
  const answer = part<HTMLElement>('[data-answer]');
  const title = answer?.querySelector('h3');
  const text = answer?.querySelector('code');
  if (!stop || !answer || !title || !text) return;
  form.hidden = false;
  const credentials = [...form.querySelectorAll<HTMLInputElement>('[data-credential]')];
  const place = (input: HTMLInputElement) => `reference.${input.dataset.credential}`;
  for (const input of credentials) {
    input.value = sessionStorage.getItem(place(input)) ?? '';
    input.addEventListener('input', () => sessionStorage.setItem(place(input), input.value));
  }
  let running: AbortController | undefined;
  stop.addEventListener('click', () => running?.abort());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    running?.abort();
    const attempt = new AbortController();
    running = attempt;
    stop.hidden = false;
    answer.hidden = false;
    title.textContent = 'Sending …';
    text.textContent = '';
    send(form, attempt.signal, title, text)
      .catch((error: unknown) => {
        title.textContent = attempt.signal.aborted ? 'Stopped' : `Not sent: ${String(error)}`;
      })
      .finally(() => {
        if (running === attempt) stop.hidden = true;
      });
  });
}

async function send(
  form: HTMLFormElement,
  signal: AbortSignal,
  title: Element,
  text: Element,
): Promise<void> {
  const { method = 'GET' } = form.dataset;
  const { path, headers, body } = requestOf(form);
  const started = performance.now();
  const response = await fetch(path, { method, headers, signal, ...(body === undefined ? {} : { body }) });
  title.textContent = `${response.status} ${response.statusText} · ${Math.round(performance.now() - started)} ms`;
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) return await readStream(response, text);
  if (type.startsWith('image/')) {
    text.textContent = `${type}, ${(await response.blob()).size} bytes`;
    return;
  }
  const received = await response.text();
  text.textContent = type.includes('json') ? JSON.stringify(JSON.parse(received), undefined, 2) : received;
  if (form.dataset.path === '/v1/auth/token' && response.ok) {
    sessionStorage.setItem('reference.token', JSON.parse(received).access_token);
    title.textContent += ' · this access token is filled in on all pages of this tab';
  }
}

function requestOf(form: HTMLFormElement): { path: string; headers: Headers; body: string | undefined } {
  const headers = new Headers();
  const query = new URLSearchParams();
  let path = form.dataset.path ?? '';
  for (const input of form.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[data-in]')) {
    const { in: place, name = '' } = input.dataset;
    if (input.value === '') continue;
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(input.value));
    else if (place === 'header') headers.set(name, input.value);
    else query.set(name, input.value);
  }
  for (const { dataset, value } of form.querySelectorAll<HTMLInputElement>('[data-credential]')) {
    if (dataset.credential === 'token') headers.set('Authorization', `Bearer ${value}`);
    else headers.set('ApplicationToken', value);
  }
  const typed = form.querySelector<HTMLTextAreaElement>('[data-body]')?.value;
  const { type = '' } = form.dataset;
  if (typed !== undefined) headers.set('Content-Type', type);
  const body = typed === undefined || type === 'application/json' ? typed : fieldsOf(typed).toString();
  return { path: query.size === 0 ? path : `${path}?${query}`, headers, body };
}

/** Parses form fields, one `name=value` per line. */
function fieldsOf(lines: string): URLSearchParams {
  const fields = lines.split('\n').filter((line) => line.includes('='));
  return new URLSearchParams(
    fields.map((line) => [line.slice(0, line.indexOf('=')).trim(), line.slice(line.indexOf('=') + 1).trim()]),
  );
}

async function readStream(response: Response, text: Element): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read())
    text.textContent += part.value;
}

export {};
