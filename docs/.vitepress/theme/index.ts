// Fonts of the reader's system: nothing is fetched for them.
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
