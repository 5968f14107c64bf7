"""From specs to files: tables, figures and documents in each format. Jinja2 and WeasyPrint live only here."""
