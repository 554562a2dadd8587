// SPDX-License-Identifier: GPL-2.0-or-later
// A table of functions, the part of it that a person may want to read.

const AT_FIRST = 200; // rows; each press of the button below shows as many more

export class Table {
	// columns: title, number(row) to sort by, text(row), and what else: bar(row) from 0 to 1, wide (left out
	// on a phone), name. page: selected(row), opened(row), and order(a, b) of rows that are the same.
	constructor(element, columns, page) {
		this.element = element;
		this.columns = columns;
		this.page = page;
		this.rows = [];
		this.sorted = columns.findIndex(column => column.first);
		this.reversed = false;
		this.limit = AT_FIRST;
		this.selected = null; // the number of a name
		this.makeHead();
		element.addEventListener("keydown", event => this.onKey(event));
	}

	makeHead() {
		const head = this.element.createTHead().insertRow();
		this.columns.forEach((column, i) => {
			const cell = document.createElement("th"), button = document.createElement("button");
			cell.scope = "col";
			cell.className = this.classOf(column);
			button.textContent = column.title;
			button.title = column.help;
			button.addEventListener("click", () => this.sort(i));
			cell.append(button);
			head.append(cell);
		});
		this.body = this.element.createTBody();
		this.more = document.createElement("button");
		this.more.className = "more";
		this.more.addEventListener("click", () => {
			this.limit += AT_FIRST;
			this.fill();
		});
		this.element.after(this.more);
	}

	classOf({ name, wide }) {
		return (name ? "name" : "number") + (wide ? " wide" : "");
	}

	sort(column) {
		this.reversed = this.sorted === column && !this.reversed;
		this.sorted = column;
		this.arrange();
	}

	show(rows) {
		this.rows = rows;
		this.limit = AT_FIRST;
		this.arrange();
	}

	arrange() {
		const { number, name } = this.columns[this.sorted], sign = this.reversed ? -1 : 1;
		this.rows.sort((a, b) => {
			const [x, y] = [number(a), number(b)];
			return sign * (name ? (x < y ? -1 : x > y ? 1 : 0) : y - x) || this.page.order(a, b);
		});
		this.fill();
	}

	fill() {
		const shown = this.rows.slice(0, this.limit), left = this.rows.length - shown.length;
		this.body.replaceChildren(...shown.map(row => this.makeRow(row)));
		this.more.hidden = !left;
		this.more.textContent = `${left.toLocaleString("en")} more`;
		[...this.element.tHead.rows[0].cells].forEach((cell, i) => {
			const order = i !== this.sorted ? "none" :
				Boolean(this.columns[i].name) !== this.reversed ? "ascending" : "descending";
			cell.setAttribute("aria-sort", order);
		});
	}

	makeRow(row) {
		const line = document.createElement("tr");
		line.tabIndex = row === this.rows[0] ? 0 : -1;
		line.dataset.name = row.name;
		line.setAttribute("aria-selected", String(row.name === this.selected));
		for (const column of this.columns)
			line.append(this.makeCell(column, row));
		line.addEventListener("click", () => this.select(line, row));
		line.addEventListener("focus", () => this.select(line, row));
		line.addEventListener("dblclick", () => this.page.opened(row));
		return line;
	}

	makeCell(column, row) {
		const cell = document.createElement("td"), text = column.text(row);
		cell.className = this.classOf(column);
		if (column.bar) {
			const bar = document.createElement("span");
			bar.className = "bar";
			bar.style.width = `${100 * Math.min(column.bar(row), 1)}%`;
			cell.append(bar);
		}
		if (column.name)
			cell.title = text;
		if (column.colour)
			cell.style.background = column.colour(row);
		cell.append(text);
		return cell;
	}

	select(line, row) {
		if (this.selected === row.name)
			return;
		this.selected = row.name;
		for (const other of this.body.rows)
			other.setAttribute("aria-selected", String(other === line));
		this.page.selected(row);
	}

	onKey(event) {
		const line = event.target.closest("tbody tr");
		if (!line || event.ctrlKey || event.metaKey || event.altKey)
			return;
		if (event.key === "ArrowDown")
			line.nextElementSibling?.focus();
		else if (event.key === "ArrowUp")
			line.previousElementSibling?.focus();
		else if (event.key === "Enter")
			this.page.opened(this.rows[line.sectionRowIndex]);
		else
			return;
		event.preventDefault();
		event.stopPropagation();
	}
}
