// A button.
export const Button = (p: Props) => <button>{p.label}</button>;
export function App() { return <div><Button label="x" /></div>; }
export class View extends React.Component<Props> {
  render() { return <App />; }
}
