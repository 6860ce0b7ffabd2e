import './without-eval.ts';
import { render } from 'preact';
import { App } from './app.tsx';
import './design/tokens.css';
import './design/base.css';

const root = document.getElementById('page');
if (root === null) throw new Error('the document has no #page');
render(<App />, root);
